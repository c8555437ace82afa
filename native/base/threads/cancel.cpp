#include "base/threads/cancel.h"

#include <utility>

namespace lh {
namespace {

thread_local const CancelFlag* flag_here = nullptr;

}  // namespace

void CancelFlag::cancel(std::string reason, Code why) {
  std::list<Listener> called;  // captured values are destroyed after the lock is released
  MutexLock lock(mutex_);
  if (cancelled() || settled_) return;
  reason_ = std::move(reason);
  why_ = why;
  cancelled_.store(true, std::memory_order_release);
  runner_ = std::this_thread::get_id();
  while (!listeners_.empty()) {
    called.splice(called.end(), listeners_, listeners_.begin());
    running_ = called.back().id;
    lock.unlock();
    called.back().wake();
    lock.lock();
    running_ = 0;
    idle_.notify_all();
  }
}

bool CancelFlag::settle() {
  MutexLock lock(mutex_);
  settled_ = !cancelled();
  return settled_;
}

std::string CancelFlag::reason() const {
  MutexLock lock(mutex_);
  return reason_;
}

Code CancelFlag::why() const {
  MutexLock lock(mutex_);
  return why_;
}

uint64_t CancelFlag::listen(std::function<void()> wake) {
  MutexLock lock(mutex_);
  const uint64_t id = next_id_++;
  if (!cancelled()) {
    listeners_.push_back({id, std::move(wake)});
    return id;
  }
  lock.unlock();
  wake();
  return id;
}

void CancelFlag::unlisten(uint64_t id) {
  std::list<Listener> removed;
  MutexLock lock(mutex_);
  for (auto it = listeners_.begin(); it != listeners_.end(); ++it) {
    if (it->id != id) continue;
    removed.splice(removed.end(), listeners_, it);
    return;
  }
  if (runner_ == std::this_thread::get_id()) return;  // called from inside a listener: it would wait for itself
  while (running_ == id && id != 0) lock.wait(idle_);
}

CancelScope::CancelScope(const CancelFlag& flag) noexcept : before_(std::exchange(flag_here, &flag)) {}

CancelScope::~CancelScope() { flag_here = before_; }

const CancelFlag* CancelScope::current() noexcept { return flag_here; }

bool CancelScope::cancelled() noexcept { return flag_here != nullptr && flag_here->cancelled(); }

}  // namespace lh
