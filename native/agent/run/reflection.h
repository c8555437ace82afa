// The model judges its own work: how a run goes on after an iteration, and whether a tool call makes sense.
// Must not: decide what the run does with that.
#pragma once

#include <optional>
#include <string>

#include "agent/run/run_context.h"

namespace lh {

// After an iteration with tool calls, where the session reflects. Fires ON_REFLECTION. Why the run is to halt; nothing:
// it goes on, also when the question failed, which is reported at ON_ERROR.
[[nodiscard]] std::optional<std::string> reflect(RunContext& run);

// The critic's objection to a call, in its own words; nothing: the call may run. Errors: those of ask_side_question(),
// and kEmptyAnswer if the critic says nothing.
[[nodiscard]] Result<std::optional<std::string>> criticize(RunContext& run, const ToolCall& call);

}  // namespace lh
