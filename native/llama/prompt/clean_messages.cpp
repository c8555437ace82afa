#include "llama/prompt/clean_messages.h"

#include <algorithm>

namespace lh {
namespace {

constexpr size_t kMostClean = 8;

// True for the same message, though its memory may be another's by now.
bool is_same(const std::weak_ptr<const Message>& known, const MessagePtr& message) {
  return !known.owner_before(message) && !message.owner_before(known);
}

size_t common(const std::vector<std::weak_ptr<const Message>>& known, const Messages& messages) {
  return static_cast<size_t>(std::ranges::mismatch(known, messages, is_same).in1 - known.begin());
}

}  // namespace

size_t CleanMessages::known(const Messages& messages) {
  const MutexLock lock(mutex_);
  size_t most = 0;
  for (const Conversation& one : recent_) most = std::max(most, common(one, messages));
  return most;
}

void CleanMessages::keep(const Messages& messages) {
  const MutexLock lock(mutex_);
  std::erase_if(recent_, [&](const Conversation& one) { return common(one, messages) == one.size(); });
  recent_.emplace_back(messages.begin(), messages.end());
  if (recent_.size() > kMostClean) recent_.erase(recent_.begin());
}

}  // namespace lh
