// Whether messages are a history that a session can go on from, and what makes one of a batch that is not finished.
// Must not: read JSON.
#pragma once

#include <string>

#include "base/status.h"
#include "model/conversation.h"

namespace lh {

// Errors: kInvalidMessages for a system message, a tool call without its result, or a result without its call; `what`
// names the messages.
[[nodiscard]] Status check_history(const Messages& history, const std::string& what);

// The same, with a result for each tool call that has none, which says that the session was interrupted. Results stand
// behind their message, in the order of its calls.
[[nodiscard]] Messages with_results(const Messages& messages);

}  // namespace lh
