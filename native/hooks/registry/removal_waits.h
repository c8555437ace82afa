// Tracks which hooks wait for the end of another hook's calls. Two hooks that remove each other on two threads would
// wait forever; the wait that would close the cycle is refused.
#pragma once

#include <list>
#include <vector>

#include "base/threads/mutex.h"
#include "hooks/points/hook.h"

namespace lh {

class RemovalWaits {
 public:
  // One wait of this thread, while it exists.
  class Wait {
   public:
    Wait(RemovalWaits& waits, const Hook& target);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

    // False: a call of `target` waits, directly or indirectly, for a hook call on this thread.
    [[nodiscard]] bool may_wait() const noexcept { return may_wait_; }

   private:
    friend class RemovalWaits;
    RemovalWaits& waits_;
    const Hook& target_;
    const std::vector<const Hook*> held_up_;  // the hooks whose calls this thread is inside of
    bool may_wait_ = true;
  };

 private:
  [[nodiscard]] bool holds_up(const Hook& target, const std::vector<const Hook*>& held_up) const LH_REQUIRES(mutex_);

  Mutex mutex_;
  std::list<const Wait*> waits_ LH_GUARDED_BY(mutex_);  // never contains a cycle
};

}  // namespace lh
