// Measures what the load of a model takes: llama.cpp performs the whole load, but allocates nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "base/json/json.h"
#include "base/status.h"
#include "llama/generator.h"
#include "model/memory_footprint.h"
#include "model/parameters.h"

namespace lh {

// A measured model with its draft model, which can be queried for several context sizes.
class MeasuredLoad {
 public:
  // Takes 30 to 750 ms. Errors: those of the load.
  static Result<std::unique_ptr<MeasuredLoad>> open(const std::string& path, const ModelFiles& files,
                                                    const LoadParams& params);
  virtual ~MeasuredLoad() = default;
  MeasuredLoad(const MeasuredLoad&) = delete;
  MeasuredLoad& operator=(const MeasuredLoad&) = delete;

  // Takes some milliseconds. Errors: those of the load.
  [[nodiscard]] virtual Result<MemoryFootprint> with_context(int32_t context_size) = 0;
  // The model's own part of lh_model_describe. Takes some milliseconds. Errors: kTemplateFailed, those of the load.
  [[nodiscard]] virtual Result<Json> describe(int32_t context_size) = 0;

 protected:
  MeasuredLoad() = default;
};
static_assert(!std::is_copy_constructible_v<MeasuredLoad>);

}  // namespace lh
