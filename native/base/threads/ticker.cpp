#include "base/threads/ticker.h"

#include <utility>

namespace lh {

Ticker::Ticker(std::chrono::milliseconds period, std::function<void()> tick)
    : period_(period), tick_(std::move(tick)), thread_([this] { run(); }) {}

Ticker::~Ticker() {
  {
    const MutexLock lock(mutex_);
    off_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Ticker::run() {
  for (;;) {
    {
      MutexLock lock(mutex_);
      const auto due = std::chrono::steady_clock::now() + period_;
      while (!off_ && std::chrono::steady_clock::now() < due) lock.wait_until(changed_, due);
      if (off_) return;
    }
    tick_();
  }
}

}  // namespace lh
