// Buffers events for JavaScript: filled on a run thread, drained on the JavaScript thread. push() tells when JavaScript
// must be woken.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/threads/mutex.h"

namespace lh::node {

// Bounded for writers that may wait (push), unbounded for those that may not (push_now).
class EventBuffer {
 public:
  static constexpr size_t kMostEvents = 256;
  static constexpr size_t kMostBytes = size_t{1} << 20;

  // Earlier events are dropped.
  void open() {
    const MutexLock lock(mutex_);
    open_ = true;
  }

  // Drops the buffered events, and further ones until it is opened again. Ends all waits.
  void close() {
    {
      const MutexLock lock(mutex_);
      open_ = false;
      told_ = false;
      take();
    }
    room_.notify_all();
  }

  // From now on push never waits, even without room.
  void let_go() {
    {
      const MutexLock lock(mutex_);
      waits_ = false;
    }
    room_.notify_all();
    seen_.notify_all();
  }

  // Adds an event, once there is room. True if JavaScript must be woken: once until it drains.
  [[nodiscard]] bool push(const char* json) {
    MutexLock lock(mutex_);
    while (open_ && waits_ && (events_.size() >= kMostEvents || bytes_ >= kMostBytes)) lock.wait(room_);
    return add(json);
  }

  // The same without waiting, for a writer that must not block.
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

  // Returns when JavaScript has handled the events that it was woken for, or after let_go(). Run threads.
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
  size_t bytes_ LH_GUARDED_BY(mutex_) = 0;  // bytes of the buffered events
  bool open_ LH_GUARDED_BY(mutex_) = false;
  bool told_ LH_GUARDED_BY(mutex_) = false;
  bool waits_ LH_GUARDED_BY(mutex_) = true;
  bool unseen_ LH_GUARDED_BY(mutex_) = false;
};

}  // namespace lh::node
