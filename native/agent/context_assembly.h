// What the model is about to be shown: the history, and what CONTEXT_ASSEMBLE hooks make of it.
// Must not: change the history, or call the model.
#pragma once

#include <optional>
#include <vector>

#include "generation/model_call.h"
#include "generation/model_source.h"
#include "hooks/dispatcher.h"

namespace lh {

struct Assembled {
  Status status;                // what is wrong with what hooks answered, kInjectionOverflow among it
  std::optional<Stop> stopped;  // by a hook
  bool cancelled = false;       // the run was, while a hook was asked
  Messages durable;             // parts that are to be stored
};

// Fires CONTEXT_ASSEMBLE for `request`, and puts its answers there. `reserve`: tokens that injected parts may take.
[[nodiscard]] Assembled assemble_context(const Dispatcher& dispatcher, const Scope& scope, const Generator& generator,
                                         int32_t reserve, ModelRequest& request, std::vector<Decision>& decisions);

// Messages of the user that follow each other as one: many chat templates take them in turns with the model's only.
[[nodiscard]] Messages with_users_joined(const Messages& messages);

}  // namespace lh
