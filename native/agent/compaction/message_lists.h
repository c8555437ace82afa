// Finds messages in the list that a compaction shortens.
#pragma once

#include <cstddef>
#include <string>

#include "model/conversation.h"

namespace lh {

// Returns where the messages begin that the model has not answered yet: a message with its tool results, or user
// messages.
size_t batch_begin(const Messages& messages);

// Returns the call that `result` belongs to; null: it is not there.
const ToolCall* call_of(const Messages& messages, const Message& result);

// True: a message has this id.
bool is_said(const Messages& messages, const std::string& id);

}  // namespace lh
