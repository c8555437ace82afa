// What the model is about to be shown: the history, and what CONTEXT_ASSEMBLE hooks make of it.
// Must not: change the history, or call the model.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "agent/run/run_context.h"
#include "generation/model_call.h"

namespace lh {

struct Assembled {
  Status status;                // what is wrong with what hooks answered, kInjectionOverflow among it
  std::optional<Stop> stopped;  // by a hook
  bool cancelled = false;       // the run was, while a hook was asked
  Messages durable;             // parts that are to be stored
};

// Fires CONTEXT_ASSEMBLE for `request`, of which `prompt` is made, and puts its answers there; the prompt is null when
// it no longer fits the request.
[[nodiscard]] Assembled assemble_context(RunContext& run, ModelRequest& request, std::unique_ptr<Prompt>& prompt);

}  // namespace lh
