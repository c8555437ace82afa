// The shape of a conversation and of tools, checked once where they enter.
// Must not: change them.
#pragma once

#include "base/json.h"
#include "base/status.h"

namespace lh {

// [{"role", "content", "reasoning"?, "tool_calls"?: [{"id", "name", "args"}], "tool_call_id"?, "tool_name"?}]; the error
// gives the index of the message that is wrong.
Status check_messages(const Json& messages);

// [{"name", "description", "parameters"}]; names are unique, of 1 to 64 letters, digits, _ or -.
Status check_tools(const Json& tools);

}  // namespace lh
