// Calls and results as texts, for templates that have no form for them.
#pragma once

#include <string>
#include <vector>

#include "chat.h"

namespace lh {

// How calls are spelled in a text.
enum class CallSpelling { kJson, kPython };

[[nodiscard]] std::string calls_text(const std::vector<common_chat_tool_call>& calls, CallSpelling spelling);

// Arguments with those that are no text, number or boolean as texts, in Python's form.
[[nodiscard]] std::string printed_arguments(const std::string& arguments);

// A result, which a message of the user will be.
[[nodiscard]] std::string result_text(const common_chat_msg& result);

}  // namespace lh
