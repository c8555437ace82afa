#include "isolation/host/workers.h"

#include <utility>

#include "platform/thread.h"

namespace lh {

void Workers::run(std::function<void()> work) {
  {
    const MutexLock lock(mutex_);
    if (waiting_.size() < idle_) {
      waiting_.push_back(std::move(work));
      changed_.notify_one();
      return;
    }
  }
  // The process ends with all of its threads at once.
  Thread([this, first = std::move(work)] {
    first();
    work_on();
  }).detach();
}

void Workers::work_on() {
  for (;;) {
    std::function<void()> next;
    {
      MutexLock lock(mutex_);
      ++idle_;
      while (waiting_.empty()) lock.wait(changed_);
      --idle_;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    next();
  }
}

}  // namespace lh
