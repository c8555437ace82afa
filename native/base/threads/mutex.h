// A mutex and its lock that clang's thread safety analysis understands.
// Must not: be held while a hook, a sink or a listener runs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <type_traits>

#include "base/threads/thread_annotations.h"

namespace lh {

class LH_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() LH_ACQUIRE() { mutex_.lock(); }
  [[nodiscard]] bool try_lock() LH_TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  void unlock() LH_RELEASE() { mutex_.unlock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};
static_assert(!std::is_copy_constructible_v<Mutex>);

class LH_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) LH_ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() LH_RELEASE() {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void unlock() LH_RELEASE() { lock_.unlock(); }
  void lock() LH_ACQUIRE() { lock_.lock(); }

  // Releases the lock while it waits. May wake up spuriously: callers loop over their condition, where the analysis
  // sees it.
  void wait(std::condition_variable& condition) { condition.wait(lock_); }
  // The same, until `deadline` at the latest.
  void wait_until(std::condition_variable& condition, std::chrono::steady_clock::time_point deadline) {
    condition.wait_until(lock_, deadline);
  }

 private:
  std::unique_lock<std::mutex> lock_;
};
static_assert(!std::is_copy_constructible_v<MutexLock>);

}  // namespace lh
