// Calls and results as texts, for templates that have no form for them.
#pragma once

#include <string>
#include <vector>

#include "chat.h"
#include "llama/prompt/fit/folds.h"

namespace lh {

[[nodiscard]] std::string calls_text(const std::vector<common_chat_tool_call>& calls, CallSpelling spelling);

// A result, which a message of the user will be.
[[nodiscard]] std::string result_text(const common_chat_msg& result);

}  // namespace lh
