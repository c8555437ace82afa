// Events on their way to JavaScript: filled on a run thread, drained on the JavaScript thread.
// Must not: wake JavaScript; push() says when that is due.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/threads/mutex.h"

namespace lh::node {

// Bounded where a writer may wait (push), and not where it may not (push_now).
class EventBuffer {
 public:
  static constexpr size_t kMostEvents = 256;
  static constexpr size_t kMostBytes = size_t{1} << 20;

  // Events that come before are dropped.
  void open() {
    const MutexLock lock(mutex_);
    open_ = true;
  }

  // Drops what is there, and what comes until it is opened again. Nobody waits any more.
  void close() {
    {
      const MutexLock lock(mutex_);
      open_ = false;
      told_ = false;
      take();
    }
    room_.notify_all();
  }

  // From now on no push waits, whether there is room or not.
  void let_go() {
    {
      const MutexLock lock(mutex_);
      waits_ = false;
    }
    room_.notify_all();
    seen_.notify_all();
  }

  // Adds an event, when there is room for it. True when JavaScript is to be told: once until it drains.
  [[nodiscard]] bool push(const char* json) {
    MutexLock lock(mutex_);
    while (open_ && waits_ && (events_.size() >= kMostEvents || bytes_ >= kMostBytes)) lock.wait(room_);
    return add(json);
  }

  // The same at once, for a writer that must not block.
  [[nodiscard]] bool push_now(const char* json) {
    const MutexLock lock(mutex_);
    return add(json);
  }

  [[nodiscard]] std::vector<std::string> drain() {
    std::vector<std::string> events;
    {
      const MutexLock lock(mutex_);
      told_ = false;
      events = take();
    }
    room_.notify_all();
    return events;
  }

  // Returns when JavaScript has dealt with what it was told of, or let_go() has been called. Run threads.
  void wait_until_seen() {
    MutexLock lock(mutex_);
    while (unseen_ && waits_) lock.wait(seen_);
  }
  void seen() {
    const MutexLock lock(mutex_);
    unseen_ = false;
    seen_.notify_all();
  }

 private:
  bool add(const char* json) LH_REQUIRES(mutex_) {
    if (!open_) return false;
    bytes_ += events_.emplace_back(json).size();
    unseen_ = true;
    return !std::exchange(told_, true);
  }

  std::vector<std::string> take() LH_REQUIRES(mutex_) {
    bytes_ = 0;
    return std::exchange(events_, {});
  }

  Mutex mutex_;
  std::condition_variable room_;
  std::condition_variable seen_;
  std::vector<std::string> events_ LH_GUARDED_BY(mutex_);
  size_t bytes_ LH_GUARDED_BY(mutex_) = 0;  // of them
  bool open_ LH_GUARDED_BY(mutex_) = false;
  bool told_ LH_GUARDED_BY(mutex_) = false;
  bool waits_ LH_GUARDED_BY(mutex_) = true;
  bool unseen_ LH_GUARDED_BY(mutex_) = false;
};

}  // namespace lh::node
