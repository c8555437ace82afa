// The output of a template whose answers are wrapped in two marks, the first of which ends its generation prompt. With
// tools, libllama-common's parser waits for that mark again; without tools it reads the mark as text. The inner format
// reads the calls.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/generator.h"

namespace lh {

struct AnswerMarks {
  std::string prompt;  // the end of the generation prompt
  std::string open;
  std::string close;
};

// `tokens`: those that the parser reads as text, each opening mark before its closing mark. Null: the generation prompt
// does not end with one of them.
[[nodiscard]] std::optional<AnswerMarks> answer_marks(std::string_view generation_prompt,
                                                      const std::vector<std::string>& tokens);

// `calls`: the opening marks of calls; `tools`: whether calls are possible.
[[nodiscard]] std::unique_ptr<OutputFormat> make_wrapped_format(std::unique_ptr<OutputFormat> within, AnswerMarks marks,
                                                                std::vector<std::string> calls, bool tools);

}  // namespace lh
