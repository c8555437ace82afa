// Shortens the ids of tool calls, for templates that accept only nine letters and digits. Must not: change a history;
// the messages of one rendering are copies.
#pragma once

#include <vector>

#include "chat.h"

namespace lh {

// Gives each call, and the result that refers to it, an id of that form. A valid id stays; any other becomes the same
// at each rendering, so that the cache of a prompt stays valid.
void shorten_call_ids(std::vector<common_chat_msg>& messages);

}  // namespace lh
