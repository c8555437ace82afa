// Converts the result of a session's run to JSON.
#pragma once

#include <string>

#include "agent/run/run_result.h"
#include "agent/session/session.h"
#include "engine/tasks/task.h"

namespace lh {

// The end of a run, in the form that lh_session_run describes. A failed run has its partial result.
TaskEnd run_end(const Session& session, const ModelUse& model, const std::string& run_id, const RunResult& result);

}  // namespace lh
