#include "llama/decode/token_queue.h"

namespace lh {
namespace {

// The time that a token may wait for others: too short to notice. Used if tokens come at least twice as fast.
constexpr auto kGather = std::chrono::milliseconds(8);

}  // namespace

void TokenQueue::push(Token token) {
  {
    const MutexLock lock(mutex_);
    tokens_.push_back(std::move(token));
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

void TokenQueue::end(EndOfStream end) {
  {
    const MutexLock lock(mutex_);
    if (end_) return;
    end_ = std::move(end);
  }
  ready_.notify_one();
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
  if (tokens_.empty()) return *end_;
  const bool was_full = tokens_.size() >= capacity_;
  Token token = std::move(tokens_.front());
  tokens_.pop_front();
  lock.unlock();
  if (was_full) on_space_();
  return token;
}

void TokenQueue::wait(MutexLock& lock) {
  const Clock::time_point last = woken_;
  if (fast_) {  // the prompt is read by then, so no more progress comes
    gathering_ = true;
    while (!enough() && Clock::now() < last + kGather) lock.wait_until(ready_, last + kGather);
    gathering_ = false;
    fast_ = tokens_.size() > 1;
  }
  while (!progress_ && tokens_.empty() && !end_) lock.wait(ready_);
  woken_ = Clock::now();
  fast_ = fast_ || woken_ - last < kGather / 2;
}

}  // namespace lh
