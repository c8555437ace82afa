// Events on their way to JavaScript: filled on an engine thread, drained on the JavaScript thread.
// Must not: wake anybody; push() says when that is due.
#pragma once

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
    return !std::exchange(told_, true);
  }

  [[nodiscard]] std::vector<std::string> drain() {
    const std::lock_guard lock(mutex_);
    told_ = false;
    return std::exchange(events_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> events_;  // guarded by mutex_
  bool open_ = false;                // guarded by mutex_
  bool told_ = false;                // guarded by mutex_
};

}  // namespace lh::node
