// The weights that are in memory, each once: whoever loads a file that is open already gets what is there.
// Must not: keep any; who computes with them does.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "base/threads/mutex.h"
#include "model/parameters.h"

namespace lh {

struct LlamaWeights;

class WeightsTable {
 public:
  WeightsTable() = default;
  WeightsTable(const WeightsTable&) = delete;
  WeightsTable& operator=(const WeightsTable&) = delete;

  // Those of `key` (see weights_key()), read from `path` if nobody has them. Of several that want them at once one
  // reads; where that one aborts, the next begins anew. `progress` and errors as of open_model().
  [[nodiscard]] Result<std::shared_ptr<LlamaWeights>> open(const std::string& key, const std::string& path,
                                                           const LoadParams& params,
                                                           const std::function<bool(float)>& progress);

 private:
  struct Slot {
    std::weak_ptr<LlamaWeights> weights;
    bool being_read = false;
    float progress = 0;  // of who reads
  };
  [[nodiscard]] Result<std::shared_ptr<LlamaWeights>> read(const std::string& key, const std::string& path,
                                                           const LoadParams& params,
                                                           const std::function<bool(float)>& progress);

  Mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Slot> slots_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<WeightsTable>);

}  // namespace lh
