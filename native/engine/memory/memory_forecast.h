// The memory that loads will take, as llama.cpp computes it; each file and set of parameters is asked once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/mutex.h"
#include "model/model_runtime.h"
#include "model/parameters.h"

namespace lh {

class MemoryForecast {
 public:
  explicit MemoryForecast(const ModelRuntime& runtime) : runtime_(runtime) {}
  MemoryForecast(const MemoryForecast&) = delete;
  MemoryForecast& operator=(const MemoryForecast&) = delete;

  // Answers about several loads of the same file: if only the context size differs, the file is not read again.
  class Questions {
   public:
    Questions(MemoryForecast& known, std::shared_ptr<const ModelFiles> files)
        : known_(known), files_(std::move(files)) {}
    // Takes up to a second the first time. Errors: those of a load.
    [[nodiscard]] Result<MemoryFootprint> of(const LoadParams& params);
    // The runtime's part of lh_model_describe. Duration and errors as of().
    [[nodiscard]] Result<Json> describe(const LoadParams& params);

   private:
    [[nodiscard]] std::string key_of(const LoadParams& params) const;
    [[nodiscard]] Status open(const LoadParams& params);

    MemoryForecast& known_;
    const std::shared_ptr<const ModelFiles> files_;
    std::string opened_;  // with which parameters, but for the size of the context
    std::unique_ptr<MeasuredLoad> load_;
  };

  // The footprint of an embedding context on the loaded model.
  [[nodiscard]] Result<MemoryFootprint> of_embeddings(const std::string& path, const LoadParams& params,
                                                      PoolingType pooling);

 private:
  // A cache of answers about loads, by file and parameters. Any thread.
  template <typename T>
  class Answers {
   public:
    [[nodiscard]] std::optional<T> find(const std::string& key) const {
      const MutexLock lock(mutex_);
      const auto found = all_.find(key);
      return found == all_.end() ? std::nullopt : std::optional(found->second);
    }
    void keep(const std::string& key, const T& answer) {
      const MutexLock lock(mutex_);
      if (all_.size() >= kMost) all_.clear();
      all_[key] = answer;
    }

   private:
    static constexpr size_t kMost = 256;

    mutable Mutex mutex_;
    std::map<std::string, T> all_ LH_GUARDED_BY(mutex_);
  };

  const ModelRuntime& runtime_;
  Answers<MemoryFootprint> uses_;
  Answers<Json> descriptions_;
};
static_assert(!std::is_copy_constructible_v<MemoryForecast>);

}  // namespace lh
