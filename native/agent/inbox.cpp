#include "agent/inbox.h"

#include <utility>

namespace lh {

void Inbox::put(std::string message) {
  const MutexLock lock(mutex_);
  messages_.push_back(std::move(message));
}

void Inbox::put_back(std::string message) {
  const MutexLock lock(mutex_);
  messages_.push_front(std::move(message));
}

std::optional<std::string> Inbox::take() {
  const MutexLock lock(mutex_);
  if (messages_.empty()) return std::nullopt;
  std::string first = std::move(messages_.front());
  messages_.pop_front();
  return first;
}

bool Inbox::empty() const {
  const MutexLock lock(mutex_);
  return messages_.empty();
}

std::vector<std::string> Inbox::waiting() const {
  const MutexLock lock(mutex_);
  return {messages_.begin(), messages_.end()};
}

void Inbox::pause() {
  const MutexLock lock(mutex_);
  paused_ = true;
}

void Inbox::resume() {
  const MutexLock lock(mutex_);
  paused_ = false;
  changed_.notify_all();
}

bool Inbox::paused() const {
  const MutexLock lock(mutex_);
  return paused_;
}

void Inbox::wait_while_paused(CancelFlag& cancel) {
  const uint64_t listening = cancel.listen([this] {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  });
  {
    MutexLock lock(mutex_);
    while (paused_ && !cancel.cancelled()) lock.wait(changed_);
  }
  cancel.unlisten(listening);
}

}  // namespace lh
