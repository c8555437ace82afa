// Has the model continue the last message of a conversation: cuts the prompt behind that message's text, and reads the
// output as the rest of an answer that has begun.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "chat.h"
#include "llama/base/special_tokens.h"
#include "llama/prompt/formats.h"
#include "model/generator.h"

namespace lh {

// Errors: kInvalidArgument, with the option, if the request has no message that can be continued, or asks for an answer
// that only a whole message can be. Ok for a request without the option.
[[nodiscard]] Status check_continuation(const PromptRequest& request, const SamplingParams& params);

// The place in a prompt where the text of the last message ends.
class Continuation {
 public:
  // Puts a mark behind the last message of `inputs`, which becomes a part of what the template renders. Errors:
  // kTemplateFailed if the conversation has every character that could be the mark.
  static Result<Continuation> begin(common_chat_templates_inputs& inputs);

  // Cuts a rendered prompt at the mark. `marks`: those of the prompt. Errors: kTemplateFailed if the template does not
  // write the message unchanged, once, at the end.
  [[nodiscard]] Status cut(std::string& prompt, TokenMarks& marks) const;

  // Takes the mark out of a message of a template.
  [[nodiscard]] Status without_mark(const Status& status) const;

  // The part of a prompt that was cut between the messages before the last, which `before` renders with the opening of
  // an answer, and the text of the last.
  [[nodiscard]] std::string opening(const std::string& prompt, const common_chat_params& before) const;

 private:
  Continuation(std::string mark, std::string text) : mark_(std::move(mark)), text_(std::move(text)) {}

  std::string mark_;
  std::string text_;  // of the last message
};

// The format of the rest of an answer, made from the format of whole answers. `opening`: as above. `callable`: the
// model may call tools. Errors: kToolsUnsupported if calls cannot be read behind a text; kTemplateFailed if the text of
// the message is reasoning.
Result<AnswerFormat> continued_format(const AnswerFormat& whole, const std::string& opening, bool callable);

}  // namespace lh
