// The two kinds of work that a session does in a turn: a run, and a compaction that its user asks for.
#pragma once

#include <string>

#include "agent/loop/run_input.h"
#include "agent/run/run_result.h"
#include "agent/session/session.h"
#include "agent/setup/session_parameters.h"

namespace lh {

// The caller has the turn of `session`. The run takes place on this thread.
[[nodiscard]] RunResult run_session(Session& session, const RunInput& input, const std::string& run_id, ModelUse model,
                                    const Work& work);

// The caller has the turn of `session`. Errors: those of Compactor::compact(), and kHookCancelled if a hook stops the
// summary; `refused` then has its decision.
[[nodiscard]] Result<Json> compact_session(Session& session, const CompactParams& how, const std::string& run_id,
                                           ModelUse model, const Work& work, Refusal& refused);

}  // namespace lh
