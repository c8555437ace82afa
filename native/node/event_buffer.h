// Events on their way to JavaScript: filled on an engine thread, drained on the JavaScript thread.
// Must not: wake JavaScript; push() says when that is due.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace lh::node {

// Bounded where a writer may wait (push), and not where it may not (push_now).
class EventBuffer {
 public:
  static constexpr size_t kMostEvents = 256;
  static constexpr size_t kMostBytes = size_t{1} << 20;

  // Events that come before are dropped.
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
  }

  // Drops what is there, and what comes until it is opened again. Nobody waits any more.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      open_ = false;
      told_ = false;
      take();
    }
    room_.notify_all();
  }

  // From now on no push waits, whether there is room or not.
  void let_go() {
    {
      const std::lock_guard lock(mutex_);
      waits_ = false;
    }
    room_.notify_all();
    seen_.notify_all();
  }

  // Adds an event, when there is room for it. True when JavaScript is to be told: once until it drains.
  [[nodiscard]] bool push(const char* json) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return !open_ || !waits_ || (events_.size() < kMostEvents && bytes_ < kMostBytes); });
    return add(json);
  }

  // The same at once, for a writer that must not block.
  [[nodiscard]] bool push_now(const char* json) {
    const std::lock_guard lock(mutex_);
    return add(json);
  }

  [[nodiscard]] std::vector<std::string> drain() {
    std::vector<std::string> events;
    {
      const std::lock_guard lock(mutex_);
      told_ = false;
      events = take();
    }
    room_.notify_all();
    return events;
  }

  // Returns when JavaScript has dealt with what it was told of, or let_go() has been called. Engine threads.
  void wait_until_seen() {
    std::unique_lock lock(mutex_);
    seen_.wait(lock, [this] { return !unseen_ || !waits_; });
  }
  void seen() {
    const std::lock_guard lock(mutex_);
    unseen_ = false;
    seen_.notify_all();
  }

 private:
  bool add(const char* json) {
    if (!open_) return false;
    bytes_ += events_.emplace_back(json).size();
    unseen_ = true;
    return !std::exchange(told_, true);
  }

  std::vector<std::string> take() {
    bytes_ = 0;
    return std::exchange(events_, {});
  }

  std::mutex mutex_;
  std::condition_variable room_;
  std::vector<std::string> events_;  // guarded by mutex_
  size_t bytes_ = 0;                 // of them; guarded by mutex_
  bool open_ = false;                // guarded by mutex_
  bool told_ = false;                // guarded by mutex_
  bool waits_ = true;                // guarded by mutex_
  bool unseen_ = false;              // guarded by mutex_
  std::condition_variable seen_;
};

}  // namespace lh::node
