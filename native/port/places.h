// The answers of a model that may be under way at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <set>
#include <type_traits>
#include <utility>

#include "base/threads/cancel.h"
#include "base/threads/mutex.h"

namespace lh {

class Places {
 public:
  explicit Places(int32_t count) : free_(count) {}
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  // Waits by `priority`, the lowest first, then in order of arrival. False: it was cancelled.
  [[nodiscard]] bool take(CancelFlag& cancel, int32_t priority) {
    const CancelListener listening(cancel, mutex_, changed_);
    MutexLock lock(mutex_);
    const auto mine = waiting_.emplace(priority, next_++).first;
    while (!cancel.cancelled() && (free_ == 0 || mine != waiting_.begin())) lock.wait(changed_);
    waiting_.erase(mine);
    changed_.notify_all();  // another one is first now
    if (cancel.cancelled()) return false;
    --free_;
    return true;
  }
  void give_back() {
    const MutexLock lock(mutex_);
    ++free_;
    changed_.notify_all();
  }

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  int32_t free_ LH_GUARDED_BY(mutex_);
  std::set<std::pair<int32_t, uint64_t>> waiting_ LH_GUARDED_BY(mutex_);
  uint64_t next_ LH_GUARDED_BY(mutex_) = 0;
};
static_assert(!std::is_copy_constructible_v<Places>);

}  // namespace lh
