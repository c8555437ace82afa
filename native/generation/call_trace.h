// Events of the trace about a model call, within a run or outside of one.
// Must not: contain anything that hooks may still replace, such as prompts and texts.
#pragma once

#include "base/json/json.h"
#include "generation/model_call.h"
#include "generation/model_request.h"

namespace lh {

// Adds what the call asks for.
void add_call_begin(Json& fields, const ModelRequest& request);
// Adds the end of the call, or its error.
void add_call_end(Json& fields, const ModelAnswer& answer);
// Adds the names of those that stopped something, or ended a run early.
void add_stops(Json& fields, const std::optional<Stop>& cancel, const std::optional<Stop>& halt);

}  // namespace lh
