// Events on their way to JavaScript: filled on an engine thread, drained on the JavaScript thread.
// Must not: wake JavaScript; push() says when that is due.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace lh::node {

class EventBuffer {
 public:
  // Events that come before are dropped.
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
    told_ = false;
    events_.clear();
  }

  // True when JavaScript is to be told: once until it drains.
  [[nodiscard]] bool push(const char* json) {
    const std::lock_guard lock(mutex_);
    if (!open_) return false;
    events_.emplace_back(json);
    unseen_ = true;
    return !std::exchange(told_, true);
  }

  [[nodiscard]] std::vector<std::string> drain() {
    const std::lock_guard lock(mutex_);
    told_ = false;
    return std::exchange(events_, {});
  }

  // Returns when JavaScript has dealt with what it was told of, or let_go() has been called. Engine threads.
  void wait_until_seen() {
    std::unique_lock lock(mutex_);
    seen_.wait(lock, [this] { return !unseen_ || let_go_; });
  }
  void seen() {
    const std::lock_guard lock(mutex_);
    unseen_ = false;
    seen_.notify_all();
  }
  // Nobody waits from now on.
  void let_go() {
    const std::lock_guard lock(mutex_);
    let_go_ = true;
    seen_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> events_;  // guarded by mutex_
  bool open_ = false;                // guarded by mutex_
  bool told_ = false;                // guarded by mutex_
  bool unseen_ = false;              // guarded by mutex_
  bool let_go_ = false;              // guarded by mutex_
  std::condition_variable seen_;
};

}  // namespace lh::node
