// Who waits, from inside a hook, for the calls of another hook to end. Two hooks that remove each other, on two
// threads, would wait for ever; the one that would close the circle is told not to wait. Must not: wait itself.
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

    // False: a call of `target` waits, perhaps by way of others, for a hook call on this thread.
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
  std::list<const Wait*> waits_ LH_GUARDED_BY(mutex_);  // never a circle
};

}  // namespace lh
