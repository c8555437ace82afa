#include "llama/decode/token_queue.h"

#include <algorithm>

namespace lh {
namespace {

// The time that a token may wait for others, too short to notice. Tokens wait only if they come at least twice as fast.
// The more generations are decoded at once, the less often each wakes its reader, because they share the cores.
constexpr auto kGather = std::chrono::milliseconds(8);
constexpr size_t kMostShares = 12;

}  // namespace

void TokenQueue::push(Token token, size_t generations) {
  {
    const MutexLock lock(mutex_);
    tokens_.push_back(std::move(token));
    gather_ = kGather * std::min(generations, kMostShares);
    if (gathering_ && !enough()) return;
  }
  ready_.notify_one();
}

void TokenQueue::progress(const PromptProgress& progress) {
  {
    const MutexLock lock(mutex_);
    progress_ = progress;
  }
  ready_.notify_one();
}

bool TokenQueue::end(EndOfStream end) {
  {
    const MutexLock lock(mutex_);
    if (end_) return false;
    end_ = std::move(end);
    if (left_) return true;
  }
  ready_.notify_one();
  return false;
}

void TokenQueue::hurry(Clock::time_point latest) {
  {
    const MutexLock lock(mutex_);
    if (!latest_) latest_ = latest;
  }
  ready_.notify_one();
}

bool TokenQueue::leave() {
  const MutexLock lock(mutex_);
  left_ = !end_;
  return left_;
}

bool TokenQueue::full() const {
  const MutexLock lock(mutex_);
  return tokens_.size() >= capacity_;
}

TokenStream::Item TokenQueue::next() {
  MutexLock lock(mutex_);
  if (!progress_ && tokens_.empty() && !end_) wait(lock);
  if (progress_) {
    const PromptProgress latest = *progress_;
    progress_.reset();
    return latest;
  }
  if (tokens_.empty()) return end_ ? *end_ : EndOfStream{StreamEnd::kCancelled, {}};
  const bool was_full = tokens_.size() >= capacity_;
  Token token = std::move(tokens_.front());
  tokens_.pop_front();
  lock.unlock();
  if (was_full) on_space_();
  return token;
}

bool TokenQueue::ready() const {
  const MutexLock lock(mutex_);
  return progress_ || !tokens_.empty() || end_;
}

void TokenQueue::wait_for_any(MutexLock& lock) {
  while (!progress_ && tokens_.empty() && !end_) {
    if (!latest_) {
      lock.wait(ready_);
    } else if (Clock::now() < *latest_) {
      lock.wait_until(ready_, *latest_);
    } else {
      return;
    }
  }
}

void TokenQueue::wait(MutexLock& lock) {
  const Clock::time_point last = woken_;
  if (fast_) {  // the prompt is already read, so no more progress comes
    gathering_ = true;
    const Clock::time_point latest = last + gather_;
    while (!enough() && Clock::now() < latest) lock.wait_until(ready_, latest);
    gathering_ = false;
    fast_ = tokens_.size() > 1;
  }
  wait_for_any(lock);
  woken_ = Clock::now();
  fast_ = fast_ || woken_ - last < gather_ / 2;
}

}  // namespace lh
