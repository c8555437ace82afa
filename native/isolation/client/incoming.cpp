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

TokenStream::Item Incoming::next(int32_t& taken) {
  MutexLock lock(mutex_);
  while (!progress_ && tokens_.empty() && !end_) lock.wait(ready_);
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

Usage Incoming::usage() const {
  const MutexLock lock(mutex_);
  return usage_;
}

}  // namespace lh
