// Ids of tool calls for templates that take them in one form alone: nine letters and digits.
// Must not: touch a history; the messages of one rendering are copies.
#pragma once

#include <vector>

#include "chat.h"

namespace lh {

// Gives each call, and the result that names it, an id of that form. An id that has the form stays; another one becomes
// the same at each rendering, so that the cache of a prompt stays good.
void shorten_call_ids(std::vector<common_chat_msg>& messages);

}  // namespace lh
