// The weights in memory, each once: a second load of an open file shares them. Does not keep them alive.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

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

  // Returns the weights of `key` (see weights_key()), read from `path` if no model has them. If callers are concurrent,
  // one reads; if it aborts, the next one starts again. `files`: `path`, and the other parts of a split model.
  // `progress` and errors as in open_model().
  [[nodiscard]] Result<std::shared_ptr<LlamaWeights>> open(const std::string& key, const std::string& path,
                                                           const std::vector<std::string>& files,
                                                           const LoadParams& params,
                                                           const std::function<bool(float)>& progress);

 private:
  struct Slot {
    std::weak_ptr<LlamaWeights> weights;
    bool being_read = false;
    float progress = 0;  // of the reading caller
  };
  [[nodiscard]] Result<std::shared_ptr<LlamaWeights>> read(const std::string& key, const std::string& path,
                                                           const std::vector<std::string>& files,
                                                           const LoadParams& params,
                                                           const std::function<bool(float)>& progress);

  Mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Slot> slots_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<WeightsTable>);

}  // namespace lh
