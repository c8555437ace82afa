// Asks the model to judge its work: whether a run continues after an iteration, and whether a tool call makes sense.
// Must not: decide what the run does with the answers.
#pragma once

#include <optional>
#include <string>

#include "agent/run/run_context.h"

namespace lh {

// Called after an iteration with tool calls, if the session reflects. Fires ON_REFLECTION. Returns the reason for a
// halt of the run; nothing: the run continues, also if the question failed, which is reported at ON_ERROR.
[[nodiscard]] std::optional<std::string> reflect(RunContext& run);

// The critic's objection to a call, word for word; nothing: the call may run. Errors: those of ask_side_question(), and
// kEmptyAnswer if the critic says nothing.
[[nodiscard]] Result<std::optional<std::string>> criticize(RunContext& run, const ToolCall& call);

}  // namespace lh
