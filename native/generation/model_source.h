// What a loop needs of models: one of them, to use for a while.
// Must not: say how models are loaded, or when they go.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "generation/decision_log.h"
#include "generation/work.h"
#include "model/generator.h"

namespace lh {

// A model in use; holding it keeps the model loaded.
struct ModelUse {
  std::string id;
  std::shared_ptr<Generator> generator;
};

class ModelSource {
 public:
  virtual ~ModelSource() = default;
  // For work, on its thread: a cold model is loaded. `id` empty: the only model.
  // Errors: MODEL_NOT_LOADED, and those of a load.
  [[nodiscard]] virtual Result<ModelUse> acquire(const std::string& id, const Work& work, Refusal& refused) = 0;
  // Whether acquire() knows it. Errors: MODEL_NOT_LOADED. Any thread.
  [[nodiscard]] virtual Status known(const std::string& id) = 0;
};

}  // namespace lh
