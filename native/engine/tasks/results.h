// What leaves the engine as JSON: events and results of tasks. Must not: decide anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/tasks/task.h"
#include "generation/decision_log.h"
#include "generation/model_call.h"

namespace lh {

// As lh_task_callbacks describes events.
// `origin`: the run that it is of, or null.
std::string event_json(const Event& event, const EventOrigin* origin);

// With HOOK_CANCELLED an end has the decision that it comes of: the last of these that cancelled.
void tell_refusal(TaskEnd& end, const std::vector<Decision>& decisions);

// The end of work that has failed.
TaskEnd failed_end(const Status& status, const Refusal& refused);

// The end of a generation, as lh_generate describes it.
TaskEnd generation_end(const Scope& scope, const ModelAnswer& answer);

Json to_json(const std::optional<Stop>& stop);
Json to_json(const std::vector<Decision>& decisions);
// Of `logprobs` in results.
Json to_json(const std::vector<TokenEvent>& logprobs);

}  // namespace lh
