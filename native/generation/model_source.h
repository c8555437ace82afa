// Gives a loop the models that it uses. The implementation loads and unloads them.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "generation/work.h"
#include "hooks/dispatch/decision_log.h"
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
  // Called by work, on its thread: loads a cold model. `id` empty: the only model. Errors: MODEL_NOT_LOADED, and those
  // of a load.
  [[nodiscard]] virtual Result<ModelUse> acquire(const std::string& id, const Work& work, Refusal& refused) = 0;
  // Checks that acquire() knows the model. Errors: MODEL_NOT_LOADED. Any thread.
  [[nodiscard]] virtual Status known(const std::string& id) = 0;
};

}  // namespace lh
