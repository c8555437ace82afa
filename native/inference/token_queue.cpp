#include "inference/token_queue.h"

namespace lh {

void TokenQueue::push(Token token) {
  {
    const std::lock_guard lock(mutex_);
    tokens_.push_back(std::move(token));
  }
  ready_.notify_one();
}

void TokenQueue::progress(const PromptProgress& progress) {
  {
    const std::lock_guard lock(mutex_);
    progress_ = progress;
  }
  ready_.notify_one();
}

void TokenQueue::end(EndOfStream end) {
  {
    const std::lock_guard lock(mutex_);
    if (end_) return;
    end_ = std::move(end);
  }
  ready_.notify_one();
}

bool TokenQueue::full() const {
  const std::lock_guard lock(mutex_);
  return tokens_.size() >= capacity_;
}

TokenStream::Item TokenQueue::next() {
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [this] { return progress_ || !tokens_.empty() || end_; });
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
