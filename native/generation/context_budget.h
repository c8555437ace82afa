// ON_CONTEXT_BUDGET: how full the context is before a model call. Must not: count anything without a listener; counting
// renders the prompt.
#pragma once

#include <memory>
#include <vector>

#include "generation/model_call.h"
#include "hooks/dispatch/dispatcher.h"

namespace lh {

// Fires the point and returns the prompt that it counted. `prompt`: the request's, or null; then it is made if there is
// a listener, and null is returned otherwise. A prompt that cannot be made is only reported at ON_ERROR: an observer
// must not end a call that a PRE_GENERATE hook may still repair.
[[nodiscard]] std::unique_ptr<Prompt> fire_context_budget(const Dispatcher& dispatcher, const Scope& scope,
                                                          const Generator& generator, const ModelRequest& request,
                                                          std::unique_ptr<Prompt> prompt,
                                                          std::vector<Decision>& decisions);

}  // namespace lh
