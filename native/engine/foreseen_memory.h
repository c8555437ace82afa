// What loads will take, as llama.cpp says it, asked once for each file and parameters.
#pragma once

#include <map>
#include <string>
#include <type_traits>

#include "base/function_ref.h"
#include "base/mutex.h"
#include "base/status.h"
#include "inference/llama_generator.h"
#include "inference/parameters.h"

namespace lh {

class ForeseenMemory {
 public:
  ForeseenMemory() = default;
  ForeseenMemory(const ForeseenMemory&) = delete;
  ForeseenMemory& operator=(const ForeseenMemory&) = delete;

  // Takes up to a second the first time. Errors: those of a load.
  [[nodiscard]] Result<Holding> of(const std::string& path, const ModelFiles& files, const LoadParams& params);
  // Of a context for embeddings on the loaded model.
  [[nodiscard]] Result<Holding> of_embeddings(const std::string& path, const LoadParams& params, PoolingType pooling);

 private:
  Result<Holding> known_or(const std::string& key, FunctionRef<Result<Holding>()> ask);

  Mutex mutex_;
  std::map<std::string, Holding> known_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<ForeseenMemory>);

}  // namespace lh
