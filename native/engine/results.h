// What leaves the engine as JSON: events and results of tasks. Must not: decide anything.
#pragma once

#include <string>

#include "agent/session.h"
#include "engine/task.h"
#include "generation/model_call.h"

namespace lh {

// As lh_task_callbacks describes events.
std::string event_json(const Event& event);

// The end of a generation, as lh_generate describes it.
TaskEnd generation_end(const Scope& scope, const ModelAnswer& answer);

// The end of a run, as lh_session_run describes it. One that failed has what it had come to.
TaskEnd run_end(const Session& session, const ModelUse& model, const std::string& run_id, const RunResult& result);

}  // namespace lh
