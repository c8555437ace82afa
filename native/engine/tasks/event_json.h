// The events of tasks as JSON, as lh_task_callbacks describes them.
#pragma once

#include <string>
#include <vector>

#include "base/json/json.h"
#include "generation/event.h"

namespace lh {

// `origin`: the run that the event comes from, or null.
std::string event_json(const Event& event, const EventOrigin* origin);

// The field `logprobs` of results and token events.
Json to_json(const RatedTokens& logprobs);

}  // namespace lh
