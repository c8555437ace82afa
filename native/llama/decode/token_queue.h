// Passes one generation's tokens from the decode thread to its run thread. Bounded, so that a slow reader delays only
// its own generation. With a fast model the reader takes several tokens at a time, because each wake-up takes a core
// from a computing thread.
// Must not: make the decode thread wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <optional>

#include "base/threads/mutex.h"
#include "model/generator.h"

namespace lh {

class TokenQueue {
 public:
  // `on_space` is called on the reader's thread when a full queue has room again.
  TokenQueue(size_t capacity, std::function<void()> on_space) : capacity_(capacity), on_space_(std::move(on_space)) {}

  // Decode thread.
  void push(Token token);
  void progress(const PromptProgress& progress);  // the latest replaces one that nobody has read
  void end(EndOfStream end);                      // the first one counts
  [[nodiscard]] bool full() const;

  // Run thread. Progress comes before tokens, the end after them.
  TokenStream::Item next();

 private:
  using Clock = std::chrono::steady_clock;

  void wait(MutexLock& lock) LH_REQUIRES(mutex_);
  [[nodiscard]] bool enough() const LH_REQUIRES(mutex_) { return end_ || tokens_.size() >= capacity_ / 2; }

  const size_t capacity_;
  const std::function<void()> on_space_;
  mutable Mutex mutex_;
  std::condition_variable ready_;
  std::deque<Token> tokens_ LH_GUARDED_BY(mutex_);
  std::optional<PromptProgress> progress_ LH_GUARDED_BY(mutex_);
  std::optional<EndOfStream> end_ LH_GUARDED_BY(mutex_);
  bool gathering_ LH_GUARDED_BY(mutex_) = false;  // the reader sleeps until there is enough
  bool fast_ LH_GUARDED_BY(mutex_) = false;       // tokens come too fast for a wake-up each
  Clock::time_point woken_ LH_GUARDED_BY(mutex_);
};

}  // namespace lh
