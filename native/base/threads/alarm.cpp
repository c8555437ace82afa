#include "base/threads/alarm.h"

#include <utility>

namespace lh {

Alarm::Alarm(std::chrono::milliseconds after, std::function<void()> ring)
    : due_(std::chrono::steady_clock::now() + after), ring_(std::move(ring)), thread_([this] { wait(); }) {}

Alarm::~Alarm() {
  {
    const MutexLock lock(mutex_);
    off_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Alarm::wait() {
  {
    MutexLock lock(mutex_);
    while (!off_ && std::chrono::steady_clock::now() < due_) lock.wait_until(changed_, due_);
    if (off_) return;
  }
  ring_();
}

}  // namespace lh
