#include "inference/token_queue.h"

namespace lh {

void TokenQueue::push(Token token) {
  {
    const MutexLock lock(mutex_);
    tokens_.push_back(std::move(token));
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
  while (!progress_ && tokens_.empty() && !end_) lock.wait(ready_);
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

}  // namespace lh
