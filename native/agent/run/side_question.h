// A question to the model beside the conversation: what is asked and answered is said nowhere.
// Must not: stream, or run tools.
#pragma once

#include <optional>
#include <string>

#include "agent/run/run_context.h"

namespace lh {

struct SideQuestion {
  Messages said;  // the messages that it is about
  std::string question;
  int32_t max_tokens = 0;
  std::optional<Json> json_schema;  // of the answer
};

struct SideAnswer {
  std::string text;
  bool cut_off = false;  // at `max_tokens`, or at the end of the context
};

// Asks the model of the run, with its system prompt and `params` laid over its sampling; what ends or forms answers of
// the conversation does not hold of this one. Hooks of a model call fire;
// usage and decisions are the run's. Errors: those of a model call, kHookCancelled when a hook stops it (the run's last
// decision is why), kCancelled or kClosed when the caller does, kEmptyAnswer for an empty answer.
[[nodiscard]] Result<SideAnswer> ask_side_question(RunContext& run, SideQuestion side);

}  // namespace lh
