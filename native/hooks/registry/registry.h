// Owns the hooks of one engine. Any thread. Readers take a snapshot; writers replace it.
// Must not: call a callback, or hold a lock while a hook or its `release` runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/function_ref.h"
#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/mutex.h"
#include "hooks/points/hook.h"
#include "hooks/points/point_table.h"
#include "hooks/registry/removal_waits.h"

namespace lh {

// A hook and the owner that it runs for: the one that it was added for, or a session that shares it.
struct HookEntry {
  std::shared_ptr<Hook> hook;
  HookOwner owner = 0;
};

// The hooks of one point in order of execution. Immutable once published; a holder keeps the registry in use.
struct HookList {
  std::vector<HookEntry> hooks;
  std::shared_ptr<void> in_use;
};

// The error UNKNOWN_HOOK_POINT.
Status unknown_point(Point point);

// The counts of a hook, and the tests of `when`: {"id", "name", "point", "location", "when", "session_id", "fired",
// "matched", "calls", "modifications", "cancels", "failures", "total_us"}.
Json counts_of(const Hook& hook);

class Registry {
 public:
  Registry();
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // True if the point has a hook of any owner. One atomic load.
  [[nodiscard]] bool has(Point point) const noexcept {
    const int slot = point_slot(point);
    return slot >= 0 && slots_[static_cast<size_t>(slot)].count.load(std::memory_order_acquire) != 0;
  }

  // The same for hooks of one owner. Takes a lock if the point has hooks.
  [[nodiscard]] bool has(Point point, HookOwner owner) const;

  // Receives each hook that will not be called any more, on the thread that removed it, that made its last call, or
  // that empties the engine.
  [[nodiscard]] HookSink& ended() noexcept { return *ended_; }
  // Reports the end of every remaining hook: nothing fires any more.
  void tell_ended() const;

  // Creates an owner of hooks. Once it is closed, add() fails with CLOSED.
  HookOwner open_owner(HookLevel level, std::string session_id = {}) LH_EXCLUDES(mutex_);
  // Retires the owner's hooks and accepts no more.
  void close_owner(HookOwner owner) LH_EXCLUDES(mutex_);
  // Shares the current hooks of `from` with `to`. Each runs until it is removed, or both owners are closed.
  void share(HookOwner from, HookOwner to) LH_EXCLUDES(mutex_);

  // Errors: INVALID_ARGUMENT, UNKNOWN_HOOK_POINT, POINT_NOT_FIRED, CLOSED. On an error `spec.release` is not called.
  Result<uint64_t> add(HookSpec spec) LH_EXCLUDES(mutex_);
  // Removes a hook. Returns when no call of it is running; at once if called from inside one. Errors: NOT_FOUND;
  // REENTRANT if such a call waits for the hook that this function is called from: the hook is then retired, and its
  // last call releases it.
  Status remove(uint64_t id) LH_EXCLUDES(mutex_);
  // Does not wait: the last running call releases the hook. Errors: NOT_FOUND.
  Status retire(uint64_t id) LH_EXCLUDES(mutex_);
  // Retires every hook of the owner at `point`; -1: at all points. Errors: UNKNOWN_HOOK_POINT.
  Status clear(Point point, HookOwner owner = 0) LH_EXCLUDES(mutex_);

  // Retires every hook of every owner, and accepts no more. Does not wait.
  void retire_all() LH_EXCLUDES(mutex_);

  // The hooks of one owner, by point and then in order of execution.
  [[nodiscard]] Json list(HookOwner owner = 0) const;

  // Null if the slot has no hook.
  [[nodiscard]] std::shared_ptr<const HookList> snapshot(int slot) const;
  // Numbers the dispatches, from 1.
  uint64_t next_seq() noexcept { return seq_.fetch_add(1, std::memory_order_relaxed) + 1; }

  // Accepts no more hooks; existing hooks continue to run.
  void seal() LH_EXCLUDES(mutex_);
  [[nodiscard]] bool sealed() const LH_EXCLUDES(mutex_);

  // Removes every hook and returns when no call and no dispatch is running. Only running dispatches may still use the
  // registry. Not from inside a hook.
  void close() LH_EXCLUDES(mutex_);

 private:
  struct Slot {
    std::atomic<uint32_t> count{0};
    mutable Mutex mutex;  // held only to copy or swap the pointer
    std::shared_ptr<const HookList> list LH_GUARDED_BY(mutex);
  };

  std::shared_ptr<Hook> take(uint64_t id) LH_EXCLUDES(mutex_);
  // Removes the entries for which `goes` is true, and returns the hooks that have no entry left.
  std::vector<std::shared_ptr<Hook>> take_all(int slot, FunctionRef<bool(const HookEntry&)> goes) LH_EXCLUDES(mutex_);
  // The caller frees the result after the lock is released.
  std::shared_ptr<const HookList> insert(int slot, HookEntry entry) LH_REQUIRES(mutex_);
  std::shared_ptr<const HookList> publish(int slot, std::vector<HookEntry> hooks) LH_REQUIRES(mutex_);
  std::vector<HookEntry> hooks_of(int slot) const;

  struct Owner {
    HookLevel level;
    std::string session_id;
  };

  const std::unique_ptr<Slot[]> slots_;
  std::atomic<uint64_t> seq_{0};
  mutable Mutex mutex_;  // one writer at a time
  std::map<uint64_t, std::shared_ptr<Hook>> by_id_ LH_GUARDED_BY(mutex_);
  uint64_t next_id_ LH_GUARDED_BY(mutex_) = 1;
  std::map<HookOwner, Owner> owners_ LH_GUARDED_BY(mutex_);  // open owners
  HookOwner last_owner_ LH_GUARDED_BY(mutex_) = 0;
  bool sealed_ LH_GUARDED_BY(mutex_) = false;
  bool closed_ LH_GUARDED_BY(mutex_) = false;
  std::shared_ptr<void> in_use_ LH_GUARDED_BY(mutex_);  // shared with every HookList that is alive
  RemovalWaits waits_;
  const std::shared_ptr<HookSink> ended_ = std::make_shared<HookSink>();
  struct Idle;
  const std::shared_ptr<Idle> idle_;
};
static_assert(!std::is_copy_constructible_v<Registry>);

}  // namespace lh
