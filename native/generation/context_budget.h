// ON_CONTEXT_BUDGET: how full the context is before a model call. Must not: count anything when nobody listens.
#pragma once

#include <memory>
#include <vector>

#include "generation/model_call.h"
#include "hooks/dispatch/dispatcher.h"

namespace lh {

// Fires the point, and gives the prompt that it counted. `prompt`: the request's, or null; then it is made where
// somebody listens, and null is given where nobody does. A prompt that cannot be made is reported at ON_ERROR and no
// more: an observer must not end a call that a PRE_GENERATE hook may yet mend.
[[nodiscard]] std::unique_ptr<Prompt> fire_context_budget(const Dispatcher& dispatcher, const Scope& scope,
                                                          const Generator& generator, const ModelRequest& request,
                                                          std::unique_ptr<Prompt> prompt,
                                                          std::vector<Decision>& decisions);

}  // namespace lh
