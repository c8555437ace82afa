// Whether messages are a history that a session can go on from. Must not: read JSON.
#pragma once

#include <string>

#include "base/status.h"
#include "inference/conversation.h"

namespace lh {

// Errors: kInvalidMessages for a system message, a tool call without its result, or a result without its call; `what`
// names the messages.
[[nodiscard]] Status check_history(const Messages& history, const std::string& what);

}  // namespace lh
