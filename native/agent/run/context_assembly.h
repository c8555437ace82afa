// Assembles the messages of a model call: the history, with the changes that CONTEXT_ASSEMBLE hooks make to it.
// Must not: change the history, or call the model.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "agent/run/run_context.h"
#include "generation/model_call.h"

namespace lh {

// The texts that hooks add for the model: an answer `additional_context`.
[[nodiscard]] std::vector<std::string> texts_of(const Given<Json>& additional_context);
// Adds them to the texts that follow the results.
void take_additional_context(const Given<Json>& given, PendingRequests& pending);

struct Assembled {
  Status status;                   // the error in the hooks' answers, for example kInjectionOverflow
  std::optional<Stop> stopped;     // by a hook
  bool cancelled = false;          // the run was cancelled during a hook's call
  std::vector<AddedText> durable;  // parts that are to be stored
};

// Fires CONTEXT_ASSEMBLE for `request`, of which `prompt` is made, and puts its answers there; the prompt is null when
// it no longer fits the request.
[[nodiscard]] Assembled assemble_context(RunContext& run, ModelRequest& request, std::unique_ptr<Prompt>& prompt);

}  // namespace lh
