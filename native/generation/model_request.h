// The request of one model call: messages or a raw prompt, tools and parameters.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "model/conversation.h"
#include "model/generator.h"

namespace lh {

class ActiveAdapters;
class ModelSource;

struct ModelRequest {
  bool raw = false;  // the model gets `prompt` unchanged, without messages and tools
  std::string prompt;
  std::optional<Infill> infill;  // with `raw`: the prompt is made from this, until a hook changes the prompt
  Messages messages;
  Tools tools;
  bool continue_final_message = false;  // the answer is the rest of the last message, an assistant's
  bool held = false;                    // token events are held back until POST_GENERATE has answered
  bool is_aside = false;                // the prompt does not repeat the beginning of its conversation
  SamplingParams params;
  std::set<std::string> taken_ids;     // of calls that the conversation has had: a new call gets another
  ActiveAdapters* adapters = nullptr;  // the conversation's; null: the call belongs to no conversation
  ModelSource* models = nullptr;       // among which hooks may choose

  // The result points into this request.
  [[nodiscard]] PromptRequest prompt_request() const;
};

}  // namespace lh
