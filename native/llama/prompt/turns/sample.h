// A sample of a long conversation, for a handler of llama.cpp: converting all messages, for each of its renderings,
// takes longer than to render them.
#pragma once

#include <cstddef>
#include <vector>

#include "chat.h"

namespace lh {

// The places of some messages: the first and the last ones, and for each kind of message, with and without calls, texts
// and the like, the first of it with its neighbours. A handler that leaves all of these as they are does so with all.
// Empty if the conversation is too short to be worth it.
[[nodiscard]] std::vector<size_t> sample_of(const std::vector<common_chat_msg>& messages);

}  // namespace lh
