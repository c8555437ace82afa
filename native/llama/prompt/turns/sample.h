// Samples of long conversations for llama.cpp's handlers, which convert all messages for each rendering: that takes
// longer than the rendering.
#pragma once

#include <cstddef>
#include <vector>

#include "chat.h"

namespace lh {

// Indices of the first and last messages, and of the first message of each kind with its neighbours. Messages of one
// kind have the same role, members, calls and order of results. A handler that leaves the sample unchanged would leave
// the whole conversation unchanged. Empty for a short conversation.
[[nodiscard]] std::vector<size_t> sample_of(const std::vector<common_chat_msg>& messages);

}  // namespace lh
