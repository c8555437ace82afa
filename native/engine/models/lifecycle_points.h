// Fires the points that tell of a model's load and of its end.
#pragma once

#include <string>

#include "base/threads/cancel.h"
#include "engine/models/model_table.h"
#include "hooks/dispatch/dispatcher.h"
#include "model/memory_use.h"

namespace lh {

// ON_MODEL_READY.
void tell_ready(const Dispatcher& dispatcher, const Scope& scope, const LoadedModel& model, double load_ms);
// ON_MODEL_UNLOAD, and the trace. Nothing may wait for the end of this: a hook may use the model, which then is loaded
// again.
void tell_unloaded(const Dispatcher& dispatcher, CancelFlag& closing, const LoadedModel& model, const MemoryUse& freed,
                   const std::string& reason);

}  // namespace lh
