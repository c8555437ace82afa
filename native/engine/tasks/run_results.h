// What a run of a session came to, as JSON. Must not: decide anything.
#pragma once

#include <string>

#include "agent/session/session.h"
#include "engine/tasks/task.h"

namespace lh {

// The end of a run, as lh_session_run describes it. One that failed has what it had come to.
TaskEnd run_end(const Session& session, const ModelUse& model, const std::string& run_id, const RunResult& result);

}  // namespace lh
