// Passes one generation's tokens from the decode thread to its run thread. Bounded, so that a slow reader delays only
// this generation. With a fast model, or many generations at once, the reader takes several tokens at a time, because
// each wake-up takes a core from a computing thread. Must not: make the decode thread wait.
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

  // Decode thread. `generations`: the number of those that are decoded at once, this one among them.
  void push(Token token, size_t generations);
  void progress(const PromptProgress& progress);  // the latest replaces one that was not read
  // The first one counts. Returns true if the reader has left.
  bool end(EndOfStream end);
  [[nodiscard]] bool full() const;

  // Run thread. Progress comes before tokens, the end after them. Once hurry() was called and its time is over, the end
  // is kCancelled, whether or not the decode thread has noticed.
  TokenStream::Item next();
  [[nodiscard]] bool ready() const;  // next() would not wait
  // The generation was cancelled: the reader waits no longer than until `latest`. Any thread.
  void hurry(std::chrono::steady_clock::time_point latest);
  // The reader leaves. False: the decode thread has ended the stream already.
  bool leave();

 private:
  using Clock = std::chrono::steady_clock;

  void wait(MutexLock& lock) LH_REQUIRES(mutex_);
  [[nodiscard]] bool enough() const LH_REQUIRES(mutex_) { return end_ || latest_ || tokens_.size() >= capacity_ / 2; }
  void wait_for_any(MutexLock& lock) LH_REQUIRES(mutex_);

  const size_t capacity_;
  const std::function<void()> on_space_;
  mutable Mutex mutex_;
  std::condition_variable ready_;
  std::deque<Token> tokens_ LH_GUARDED_BY(mutex_);
  std::optional<PromptProgress> progress_ LH_GUARDED_BY(mutex_);
  std::optional<EndOfStream> end_ LH_GUARDED_BY(mutex_);
  std::optional<Clock::time_point> latest_ LH_GUARDED_BY(mutex_);  // set by hurry()
  bool left_ LH_GUARDED_BY(mutex_) = false;
  bool gathering_ LH_GUARDED_BY(mutex_) = false;    // the reader sleeps until there is enough
  bool fast_ LH_GUARDED_BY(mutex_) = false;         // tokens come too fast for a wake-up each
  Clock::duration gather_ LH_GUARDED_BY(mutex_){};  // the time that a token may wait for others
  Clock::time_point woken_ LH_GUARDED_BY(mutex_);
};

}  // namespace lh
