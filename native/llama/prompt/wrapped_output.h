// The output of a template whose answers stand between two marks, the first of which its generation prompt ends with:
// libllama-common's parser waits for that mark once more, with tools, and takes it for text without.
// Must not: read calls; the format within does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/generator.h"

namespace lh {

struct AnswerMarks {
  std::string prompt;  // what the generation prompt ends with
  std::string open;
  std::string close;
};

// `tokens`: those that the parser asks for as text, each mark that opens something before the one that closes it.
// Null: the generation prompt ends with none of them.
[[nodiscard]] std::optional<AnswerMarks> answer_marks(std::string_view generation_prompt,
                                                      const std::vector<std::string>& tokens);

// `calls`: what calls begin with; `tools`: whether there may be any.
[[nodiscard]] std::unique_ptr<OutputFormat> make_wrapped_format(std::unique_ptr<OutputFormat> within, AnswerMarks marks,
                                                                std::vector<std::string> calls, bool tools);

}  // namespace lh
