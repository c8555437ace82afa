// Keeps the texts of a conversation from becoming control tokens: puts marks into a copy of a template's inputs, and
// takes them out of the prompt that the template rendered from it.
// Must not: let a mark reach anything but the template.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "chat.h"
#include "llama/base/special_tokens.h"
#include "llama/prompt/mark_finder.h"

namespace lh {

// Inputs with marks. A mark is a character that occurs nowhere in the inputs; the choice of the character says which
// tokens the mark forbids.
class MarkedInputs {
 public:
  MarkedInputs(common_chat_templates_inputs marked, std::vector<std::string> signs, std::vector<int32_t> tokens)
      : inputs(std::move(marked)), signs_(std::move(signs)), tokens_(std::move(tokens)) {}

  // Takes the marks out of a text that was rendered from the inputs.
  TokenMarks take_out(std::string& text) const;
  [[nodiscard]] Status without_marks(const Status& status) const;

  common_chat_templates_inputs inputs;

 private:
  std::vector<std::string> signs_;
  std::vector<int32_t> tokens_;  // TokenMark::token of each sign
};

class ContentMarks {
 public:
  // `source`: of the chat template.
  ContentMarks(const SpecialTokenTable& tokens, std::string_view source);

  // Returns none if no text needs a mark, which is the usual case. The first `clean` messages need none. `cancel` may
  // be null. Errors: kTemplateFailed if the texts have every character that could be a mark; those of `cancel`.
  [[nodiscard]] Result<std::optional<MarkedInputs>> mark(const common_chat_templates_inputs& inputs, size_t clean,
                                                         const CancelFlag* cancel) const;

  // Takes the marks out of a prompt, and returns those that the tokenizer must heed.
  [[nodiscard]] TokenMarks unmark(std::string& prompt, const MarkedInputs& inputs) const {
    const TokenMarks marks = inputs.take_out(prompt);
    return finder_.effective(prompt, marks);
  }

 private:
  MarkFinder finder_;
};

// A character for internal or private use that no text of the inputs has; empty if they have all.
[[nodiscard]] std::string unused_character(const common_chat_templates_inputs& inputs);

}  // namespace lh
