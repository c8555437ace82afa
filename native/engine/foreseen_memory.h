// What loads will take, as llama.cpp says it, asked once for each file and parameters.
#pragma once

#include <map>
#include <string>
#include <type_traits>

#include "base/mutex.h"
#include "base/status.h"
#include "inference/memory_use.h"
#include "inference/parameters.h"

namespace lh {

class ForeseenMemory {
 public:
  ForeseenMemory() = default;
  ForeseenMemory(const ForeseenMemory&) = delete;
  ForeseenMemory& operator=(const ForeseenMemory&) = delete;

  // Takes up to a second the first time. Errors: those of a load.
  [[nodiscard]] Result<MemoryUse> of(const std::string& path, const LoadParams& params);

 private:
  Mutex mutex_;
  std::map<std::string, MemoryUse> known_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<ForeseenMemory>);

}  // namespace lh
