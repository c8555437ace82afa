// Hands one generation's tokens from the decode thread to its run thread. Bounded: a reader that is slow holds back its
// own generation only.
// Must not: make the decode thread wait.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <optional>

#include "base/mutex.h"
#include "inference/generator.h"

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
  const size_t capacity_;
  const std::function<void()> on_space_;
  mutable Mutex mutex_;
  std::condition_variable ready_;
  std::deque<Token> tokens_ LH_GUARDED_BY(mutex_);
  std::optional<PromptProgress> progress_ LH_GUARDED_BY(mutex_);
  std::optional<EndOfStream> end_ LH_GUARDED_BY(mutex_);
};

}  // namespace lh
