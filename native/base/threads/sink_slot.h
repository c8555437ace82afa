// Holds the one function that receives events of a kind. Free without one: callers test `present` before they build an
// event. Must not: hold its lock while the function runs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <utility>

#include "base/threads/mutex.h"

namespace lh {

template <typename... Args>
class SinkSlot {
 public:
  using Function = std::function<void(Args...)>;

  SinkSlot() = default;
  SinkSlot(const SinkSlot&) = delete;
  SinkSlot& operator=(const SinkSlot&) = delete;

  [[nodiscard]] bool present() const noexcept { return present_.load(std::memory_order_acquire); }

  // Replaces the function (nullptr: none) and returns when no call of the old one is running; at once if called from
  // inside the old one.
  void set(Function function) LH_EXCLUDES(mutex_) {
    std::shared_ptr<Entry> old = function ? std::make_shared<Entry>(std::move(function)) : nullptr;
    MutexLock lock(mutex_);
    old.swap(entry_);
    present_.store(entry_ != nullptr, std::memory_order_release);
    if (old == nullptr || inside(*old)) return;
    while (old->running != 0) lock.wait(idle_);
  }

  void call(Args... args) LH_EXCLUDES(mutex_) {
    if (!present()) return;
    Use use(*this);
    if (use.entry != nullptr) use.entry->function(args...);
  }

 private:
  struct Entry {
    explicit Entry(Function f) : function(std::move(f)) {}
    const Function function;
    int running = 0;  // guarded by the slot's mutex_
  };

  // A running call on this thread.
  struct Use {
    explicit Use(SinkSlot& s) : slot(s), outer(innermost) {
      innermost = this;
      MutexLock lock(slot.mutex_);
      entry = slot.entry_;
      if (entry != nullptr) ++entry->running;
    }
    ~Use() {
      innermost = outer;
      if (entry == nullptr) return;
      MutexLock lock(slot.mutex_);
      if (--entry->running == 0) slot.idle_.notify_all();
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

    SinkSlot& slot;
    Use* const outer;
    std::shared_ptr<Entry> entry;
    inline static thread_local Use* innermost = nullptr;
  };

  static bool inside(const Entry& entry) {
    for (const Use* use = Use::innermost; use != nullptr; use = use->outer) {
      if (use->entry.get() == &entry) return true;
    }
    return false;
  }

  std::atomic<bool> present_{false};
  Mutex mutex_;
  std::condition_variable idle_;
  std::shared_ptr<Entry> entry_ LH_GUARDED_BY(mutex_);
};

}  // namespace lh
