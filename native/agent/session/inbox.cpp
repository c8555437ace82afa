#include "agent/session/inbox.h"

#include <utility>

namespace lh {

void Inbox::put(QueuedMessage message) {
  const MutexLock lock(mutex_);
  messages_.push_back(std::move(message));
}

void Inbox::asked(QueuedMessage message) {
  const MutexLock lock(mutex_);
  if (!taken_.empty()) taken_.back() = std::move(message);
}

void Inbox::heard() {
  const MutexLock lock(mutex_);
  heard_ = taken_.size();
}

void Inbox::put_back() {
  const MutexLock lock(mutex_);
  messages_.insert(messages_.begin(), taken_.begin(), taken_.end());
  taken_.clear();
  heard_ = 0;
}

void Inbox::refuse() {
  const MutexLock lock(mutex_);
  if (!taken_.empty()) taken_.pop_back();
}

void Inbox::settle() {
  const MutexLock lock(mutex_);
  taken_.clear();
  heard_ = 0;
}

std::optional<QueuedMessage> Inbox::take() {
  const MutexLock lock(mutex_);
  if (messages_.empty()) return std::nullopt;
  taken_.push_back(std::move(messages_.front()));
  messages_.pop_front();
  return taken_.back();
}

bool Inbox::empty() const {
  const MutexLock lock(mutex_);
  return messages_.empty();
}

std::vector<QueuedMessage> Inbox::waiting() const {
  const MutexLock lock(mutex_);
  std::vector<QueuedMessage> all(taken_.begin() + static_cast<std::ptrdiff_t>(heard_), taken_.end());
  all.insert(all.end(), messages_.begin(), messages_.end());
  return all;
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
  const CancelListener listening(cancel, mutex_, changed_);
  MutexLock lock(mutex_);
  while (paused_ && !cancel.cancelled()) lock.wait(changed_);
}

}  // namespace lh
