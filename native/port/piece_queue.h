// Passes the pieces of one answer from the caller's threads to the reader. Bounded, so that a slow reader makes the
// caller pause.
// Must not: call the caller's `wake` under its lock.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <optional>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "base/threads/mutex.h"
#include "model/generator.h"

namespace lh {

// The tokens that an end says were used; a number that it leaves out is as the pieces say.
struct ToldUsage {
  std::optional<int32_t> prompt_tokens;
  std::optional<int32_t> cached_tokens;
  std::optional<int32_t> completion_tokens;
  std::optional<int32_t> reasoning_tokens;
};

struct PieceEnd {
  EndOfStream end;
  ToldUsage usage;
  std::string doubt;  // of a usage that is not believed: why
};

class PieceQueue {
 public:
  using Wake = void (*)(void* user_data);

  explicit PieceQueue(int32_t prompt_tokens) { usage_.prompt_tokens = prompt_tokens; }
  PieceQueue(const PieceQueue&) = delete;
  PieceQueue& operator=(const PieceQueue&) = delete;

  // Called by the caller, on any thread.

  // Errors: kBusy, then `wake` is called when there is room; kCancelled, if the generation needs no more.
  [[nodiscard]] Status push(TypedPiece piece);
  [[nodiscard]] Status progress(const PromptProgress& progress);
  // Registers `wake`, which is called when there is room again after kBusy, and when the generation needs no more; at
  // once if that is so already. Null: no more calls, and none is running, except one that this function is called from.
  void on_wake(Wake wake, void* user_data);
  // The first end counts.
  void end(PieceEnd end);

  // Called by the reader.

  // Progress comes before pieces, the end after them; kCancelled once `stop` was called.
  [[nodiscard]] TokenStream::Item next();
  void stop();  // any thread
  // The sum of the pieces that were read, or the numbers of the end.
  [[nodiscard]] Usage usage() const;
  // The doubt that came with the end.
  [[nodiscard]] std::string doubt() const;
  // The model has said how many tokens the prompt had.
  [[nodiscard]] bool has_counted_prompt() const;

 private:
  using Clock = std::chrono::steady_clock;

  void call_wake();
  [[nodiscard]] bool unwanted() const LH_REQUIRES(mutex_) { return stopped_ || end_.has_value(); }

  mutable Mutex mutex_;
  std::condition_variable ready_;
  std::deque<TypedPiece> pieces_ LH_GUARDED_BY(mutex_);
  std::optional<PromptProgress> progress_ LH_GUARDED_BY(mutex_);
  std::optional<EndOfStream> end_ LH_GUARDED_BY(mutex_);
  bool stopped_ LH_GUARDED_BY(mutex_) = false;
  bool refused_ LH_GUARDED_BY(mutex_) = false;  // a piece, for which there was no room
  Usage usage_ LH_GUARDED_BY(mutex_);
  ToldUsage told_ LH_GUARDED_BY(mutex_);  // by the end
  std::string doubt_ LH_GUARDED_BY(mutex_);
  const Clock::time_point begun_ = Clock::now();
  std::optional<Clock::time_point> first_ LH_GUARDED_BY(mutex_);
  Wake wake_ LH_GUARDED_BY(mutex_) = nullptr;
  void* wake_data_ LH_GUARDED_BY(mutex_) = nullptr;
  int waking_ LH_GUARDED_BY(mutex_) = 0;  // calls of `wake` under way
  std::condition_variable woken_;
};
static_assert(!std::is_copy_constructible_v<PieceQueue>);

}  // namespace lh
