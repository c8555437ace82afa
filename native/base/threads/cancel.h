// A flag that work polls, and that wakes waiting threads. Its owner keeps it alive until `cancel` returns. Must not:
// hold its lock while a listener runs or is destroyed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/status.h"
#include "base/threads/mutex.h"

namespace lh {

class CancelFlag {
 public:
  CancelFlag() = default;
  CancelFlag(const CancelFlag&) = delete;
  CancelFlag& operator=(const CancelFlag&) = delete;

  // One atomic load, for polling in hot loops.
  [[nodiscard]] bool cancelled() const noexcept { return cancelled_.load(std::memory_order_acquire); }

  // The first call wins: it keeps the reason and `why` (kClosed: with the engine) and runs the listeners on this
  // thread. Later calls do nothing, and may return while listeners still run.
  void cancel(std::string reason, Code why = Code::kCancelled) LH_EXCLUDES(mutex_);

  // Settles a race with cancel(): false if cancel() came first; otherwise later cancels do nothing.
  [[nodiscard]] bool settle() LH_EXCLUDES(mutex_);

  // The reason; empty until cancelled.
  [[nodiscard]] std::string reason() const LH_EXCLUDES(mutex_);
  // kCancelled or kClosed; kOk until cancelled.
  [[nodiscard]] Code why() const LH_EXCLUDES(mutex_);

  // Registers `wake`, which is called when the flag is set, or at once on this thread if it is set already. `wake` must
  // not throw. Returns a number for `unlisten`.
  uint64_t listen(std::function<void()> wake) LH_EXCLUDES(mutex_);

  // Afterwards `wake` is not running and will not run, except for the call of it that this function is called from.
  void unlisten(uint64_t id) LH_EXCLUDES(mutex_);

 private:
  struct Listener {
    uint64_t id;
    std::function<void()> wake;
  };

  std::atomic<bool> cancelled_{false};
  mutable Mutex mutex_;
  std::condition_variable idle_;
  std::list<Listener> listeners_ LH_GUARDED_BY(mutex_);
  std::string reason_ LH_GUARDED_BY(mutex_);
  Code why_ LH_GUARDED_BY(mutex_) = Code::kOk;
  bool settled_ LH_GUARDED_BY(mutex_) = false;
  uint64_t next_id_ LH_GUARDED_BY(mutex_) = 1;
  uint64_t running_ LH_GUARDED_BY(mutex_) = 0;    // the listener being called; 0: none
  std::thread::id runner_ LH_GUARDED_BY(mutex_);  // the thread that calls it
};
static_assert(!std::is_copy_constructible_v<CancelFlag>);

// Listens to a flag for as long as this object lives.
class CancelListener {
 public:
  CancelListener(CancelFlag& flag, std::function<void()> wake) : flag_(flag), id_(flag.listen(std::move(wake))) {}
  // Serves a thread that waits for `changed` under `mutex` until its condition holds or the flag is set.
  CancelListener(CancelFlag& flag, Mutex& mutex, std::condition_variable& changed)
      : CancelListener(flag, [&mutex, &changed] {
          const MutexLock lock(mutex);
          changed.notify_all();
        }) {}
  ~CancelListener() { flag_.unlisten(id_); }
  CancelListener(const CancelListener&) = delete;
  CancelListener& operator=(const CancelListener&) = delete;

 private:
  CancelFlag& flag_;
  const uint64_t id_;
};
static_assert(!std::is_copy_constructible_v<CancelListener>);

// Names the flag of the work on this thread, for code that no flag is handed to. Scopes nest.
class CancelScope {
 public:
  explicit CancelScope(const CancelFlag& flag) noexcept;  // outlives this object
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

  // The flag of the work on this thread; null if it has none, as JavaScript's thread.
  [[nodiscard]] static const CancelFlag* current() noexcept;
  // True if the work on this thread was cancelled; false if it has no flag.
  [[nodiscard]] static bool cancelled() noexcept;

 private:
  const CancelFlag* const before_;
};
static_assert(!std::is_copy_constructible_v<CancelScope>);

}  // namespace lh
