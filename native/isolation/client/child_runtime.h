// Implements ModelRuntime in a separate process, which may die: calls that computed there get kEngineCrashed, and the
// next call starts it again, with the models that it had.
#pragma once

#include <memory>

#include "base/status.h"
#include "isolation/client/lives.h"
#include "model/model_runtime.h"

namespace lh {

// Starts the process. Errors: kBackendUnavailable, kNoThread.
[[nodiscard]] Result<std::shared_ptr<ModelRuntime>> make_child_runtime(Lives::Options options);

}  // namespace lh
