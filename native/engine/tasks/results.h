// The results of tasks as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/tasks/task.h"
#include "generation/model_call.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {

// If the status is HOOK_CANCELLED, adds the decision that caused it: the last one in `decisions` that cancelled.
void tell_refusal(TaskEnd& end, const std::vector<Decision>& decisions);

// The end of failed work.
TaskEnd failed_end(const Status& status, const Refusal& refused);

// The end of a generation, in the form that lh_generate describes.
TaskEnd generation_end(const Scope& scope, const ModelAnswer& answer);

Json to_json(const std::optional<Stop>& stop);
Json to_json(const std::vector<Decision>& decisions);

}  // namespace lh
