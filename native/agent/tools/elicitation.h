// Has a tool's question for the user answered by hooks.
#pragma once

#include <cstdint>

#include "agent/run/run_context.h"
#include "base/json/json.h"
#include "base/threads/cancel.h"
#include "hooks/calls/user_questions.h"

namespace lh {

// Fires ON_ELICITATION and waits for the answer, on a thread of the question, while the run thread waits for its tools;
// never for two questions of a run at once. Returns {"action", "content"?, "reason"?, "by"?}. `tool`: the tool that
// asks; `span`: the span of its call in the trace.
[[nodiscard]] Json elicit(RunContext& run, const ToolCall& call, const AgentTool* tool, uint64_t span,
                          const UserRequest& request, CancelFlag& cancel);

}  // namespace lh
