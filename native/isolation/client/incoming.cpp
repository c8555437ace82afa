#include "isolation/client/incoming.h"

#include <utility>

#include "isolation/wire/model_wire.h"

namespace lh {

void Incoming::take_tokens(std::string_view bytes) {
  {
    const MutexLock lock(mutex_);
    Token token;
    while (unpack_token(bytes, token)) {
      tokens_.push_back(std::move(token));
      ++usage_.completion_tokens;
    }
  }
  ready_.notify_one();
}

void Incoming::take_progress(const PromptProgress& progress) {
  {
    const MutexLock lock(mutex_);
    progress_ = progress;
    usage_.cached_tokens = progress.cached;
  }
  ready_.notify_one();
}

void Incoming::end(EndOfStream end, const std::optional<Usage>& usage) {
  {
    const MutexLock lock(mutex_);
    if (end_) return;
    end_ = std::move(end);
    if (usage) usage_ = *usage;
  }
  ready_.notify_one();
}

void Incoming::leave_at(std::chrono::steady_clock::time_point when) {
  {
    const MutexLock lock(mutex_);
    if (!leave_at_) leave_at_ = when;
  }
  ready_.notify_one();
}

TokenStream::Item Incoming::next(int32_t& taken) {
  MutexLock lock(mutex_);
  while (!progress_ && tokens_.empty() && !end_) {
    if (!leave_at_) {
      lock.wait(ready_);
    } else if (std::chrono::steady_clock::now() < *leave_at_) {
      lock.wait_until(ready_, *leave_at_);
    } else {
      end_ = EndOfStream{StreamEnd::kCancelled, {}};
      was_left_ = true;
    }
  }
  if (progress_) {
    const PromptProgress latest = *progress_;
    progress_.reset();
    return latest;
  }
  if (tokens_.empty()) return *end_;
  Token token = std::move(tokens_.front());
  tokens_.pop_front();
  ++taken;
  return token;
}

bool Incoming::ready() const {
  const MutexLock lock(mutex_);
  return progress_ || !tokens_.empty() || end_;
}

bool Incoming::was_left() const {
  const MutexLock lock(mutex_);
  return was_left_;
}

Usage Incoming::usage() const {
  const MutexLock lock(mutex_);
  return usage_;
}

}  // namespace lh
