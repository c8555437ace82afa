// Checks whether a session can continue from given messages, and completes messages whose tool calls lack results.
// Must not: read JSON.
#pragma once

#include <string>

#include "base/status.h"
#include "model/conversation.h"

namespace lh {

// Errors: kInvalidMessages for a system message, a tool call without its result, or a result without its call; `what`
// names the messages.
[[nodiscard]] Status check_history(const Messages& history, const std::string& what);

// The messages, with a result for each tool call that has none; it says that the session was interrupted. Results
// follow their message, in the order of its calls.
[[nodiscard]] Messages with_results(const Messages& messages);

}  // namespace lh
