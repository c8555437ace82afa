// Converts events and results of tasks to the JSON that leaves the engine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/tasks/task.h"
#include "generation/decision_log.h"
#include "generation/model_call.h"

namespace lh {

// An event in the form that lh_task_callbacks describes. `origin`: the run that it belongs to, or null.
std::string event_json(const Event& event, const EventOrigin* origin);

// Adds to an end with HOOK_CANCELLED the decision that caused it: the last cancelling one.
void tell_refusal(TaskEnd& end, const std::vector<Decision>& decisions);

// The end of failed work.
TaskEnd failed_end(const Status& status, const Refusal& refused);

// The end of a generation, in the form that lh_generate describes.
TaskEnd generation_end(const Scope& scope, const ModelAnswer& answer);

Json to_json(const std::optional<Stop>& stop);
Json to_json(const std::vector<Decision>& decisions);
// The `logprobs` of results.
Json to_json(const std::vector<TokenEvent>& logprobs);

}  // namespace lh
