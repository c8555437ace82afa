#include "port/piece_queue.h"

#include <algorithm>
#include <utility>

namespace lh {
namespace {

constexpr size_t kCapacity = 256;  // pieces that the caller may be ahead of the reader

thread_local const PieceQueue* waking_here = nullptr;  // the queue whose `wake` runs on this thread

void add(int32_t& to, int32_t more) { to = more > INT32_MAX - to ? INT32_MAX : to + more; }

double ms(std::chrono::steady_clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

}  // namespace

Status PieceQueue::push(TypedPiece piece) {
  {
    const MutexLock lock(mutex_);
    if (unwanted()) return {Code::kCancelled, "nobody reads this answer any more"};
    if (pieces_.size() >= kCapacity) {
      refused_ = true;
      return {Code::kBusy, "the reader of this answer is behind"};
    }
    if (!first_) first_ = Clock::now();
    pieces_.push_back(std::move(piece));
  }
  ready_.notify_one();
  return {};
}

Status PieceQueue::progress(const PromptProgress& progress) {
  {
    const MutexLock lock(mutex_);
    if (unwanted()) return {Code::kCancelled, "nobody reads this answer any more"};
    progress_ = progress;
    usage_.cached_tokens = progress.cached;
  }
  ready_.notify_one();
  return {};
}

void PieceQueue::end(PieceEnd end) {
  {
    const MutexLock lock(mutex_);
    if (end_) return;
    end_ = std::move(end.end);
    told_ = end.usage;
    doubt_ = std::move(end.doubt);
    const Clock::time_point now = Clock::now();
    if (told_.prompt_tokens) usage_.prompt_tokens = *told_.prompt_tokens;
    if (told_.cached_tokens) usage_.cached_tokens = *told_.cached_tokens;
    usage_.prompt_ms = ms(first_.value_or(now) - begun_);
    usage_.decode_ms = ms(now - first_.value_or(now));
  }
  ready_.notify_one();
}

void PieceQueue::on_wake(Wake wake, void* user_data) {
  bool at_once = false;
  {
    MutexLock lock(mutex_);
    wake_ = wake;
    wake_data_ = user_data;
    const int mine = waking_here == this ? 1 : 0;
    while (wake == nullptr && waking_ > mine) lock.wait(woken_);
    const bool has_room = refused_ && pieces_.size() <= kCapacity / 2;
    at_once = wake != nullptr && (stopped_ || has_room);
    if (at_once) refused_ = false;
  }
  if (at_once) call_wake();
}

void PieceQueue::call_wake() {
  Wake wake = nullptr;
  void* user_data = nullptr;
  {
    const MutexLock lock(mutex_);
    if (wake_ == nullptr) return;
    wake = wake_;
    user_data = wake_data_;
    ++waking_;
  }
  const PieceQueue* const before = std::exchange(waking_here, this);
  wake(user_data);
  waking_here = before;
  {
    const MutexLock lock(mutex_);
    --waking_;
  }
  woken_.notify_all();
}

TokenStream::Item PieceQueue::next() {
  bool has_room = false;
  TokenStream::Item item;
  {
    MutexLock lock(mutex_);
    while (!progress_ && pieces_.empty() && !end_ && !stopped_) lock.wait(ready_);
    if (stopped_) return EndOfStream{StreamEnd::kCancelled, {}};
    if (progress_) return *std::exchange(progress_, std::nullopt);
    if (pieces_.empty()) {
      if (told_.completion_tokens) usage_.completion_tokens = *told_.completion_tokens;
      if (told_.reasoning_tokens) usage_.reasoning_tokens = *told_.reasoning_tokens;
      return *end_;
    }
    TypedPiece& piece = pieces_.front();
    add(usage_.completion_tokens, piece.tokens);
    if (piece.kind == PieceKind::kReasoning) add(usage_.reasoning_tokens, piece.tokens);
    item = std::move(piece);
    pieces_.pop_front();
    has_room = refused_ && wake_ != nullptr && pieces_.size() <= kCapacity / 2;
    if (has_room) refused_ = false;
  }
  if (has_room) call_wake();
  return item;
}

void PieceQueue::stop() {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(stopped_, true)) return;
  }
  ready_.notify_one();
  call_wake();
}

Usage PieceQueue::usage() const {
  const MutexLock lock(mutex_);
  return usage_;
}

std::string PieceQueue::doubt() const {
  const MutexLock lock(mutex_);
  return doubt_;
}

bool PieceQueue::has_counted_prompt() const {
  const MutexLock lock(mutex_);
  return told_.prompt_tokens.has_value();
}

}  // namespace lh
