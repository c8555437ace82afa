// ON_CONTEXT_BUDGET: how full the context is before a model call. Counting renders the prompt once or twice, so nothing
// is counted when no hook listens.
#pragma once

#include <memory>
#include <vector>

#include "generation/model_request.h"
#include "hooks/dispatch/decision_log.h"
#include "hooks/dispatch/dispatcher.h"

namespace lh {

// Fires the point and returns the prompt that was counted. `prompt`: the request's prompt, or null if it has not been
// made; it is then made only if a hook listens. Returns null if there is still no prompt. If the prompt cannot be made,
// ON_ERROR reports it and the call continues: a PRE_GENERATE hook may still correct the request.
[[nodiscard]] std::unique_ptr<Prompt> fire_context_budget(const Dispatcher& dispatcher, const Scope& scope,
                                                          const Generator& generator, const ModelRequest& request,
                                                          std::unique_ptr<Prompt> prompt,
                                                          std::vector<Decision>& decisions);

}  // namespace lh
