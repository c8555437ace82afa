// Calls and results as texts, for templates that have no form for them.
#pragma once

#include <string>
#include <vector>

#include "chat.h"

namespace lh {

// The spelling of calls in a text.
enum class CallSpelling { kJson, kPython };

[[nodiscard]] std::string calls_text(const std::vector<common_chat_tool_call>& calls, CallSpelling spelling);

// The arguments, with each list, object and null replaced by the text that Python prints for it.
[[nodiscard]] std::string printed_arguments(const std::string& arguments);

// The text of a result that becomes a user message.
[[nodiscard]] std::string result_text(const common_chat_msg& result);

}  // namespace lh
