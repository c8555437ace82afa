// A text that is the same for two calls of one tool with the same arguments, in any order.
#pragma once

#include <string>

#include "model/conversation.h"

namespace lh {

[[nodiscard]] std::string call_key(const ToolCall& call);

}  // namespace lh
