// One registered hook: its options, its statistics, and its running calls. invoke.h calls the callback.
#pragma once

#include <atomic>
#include <compare>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "base/threads/mutex.h"
#include "base/threads/sink_slot.h"
#include "hooks/points/field_set.h"
#include "hooks/points/hook_owner.h"
#include "hooks/points/matcher.h"
#include "hooks/points/point.h"

namespace lh {

struct HookSpec {
  Point point = -1;
  std::string name;      // empty: "hook <id>"
  std::string location;  // where it was registered ("main.c:12"); empty: unknown
  int32_t priority = 0;
  int64_t deadline_ms = 0;
  uint32_t flags = 0;
  Matcher when;
  std::string when_json;  // as it was given; empty: none
  FieldSet fields;        // of the context that it is shown
  HookOwner owner = 0;
  HookLevel level = HookLevel::kEngine;  // the owner's level, set by the registry
  std::string session_id;                // of an owner that is a session, set by the registry; empty: none
  lh_hook_fn callback = nullptr;
  void* user_data = nullptr;
  void (*release)(void*) = nullptr;
};

// A hook's position in the order of execution at its point; `<` is earlier. Outlives the hook.
struct HookPlace {
  bool guard = false;
  int32_t priority = 0;
  HookLevel level = HookLevel::kEngine;
  uint64_t id = 0;

  auto operator<=>(const HookPlace&) const = default;
};

struct HookCounters {
  std::atomic<uint64_t> fired{0};    // dispatches of its point, in its scope
  std::atomic<uint64_t> matched{0};  // of these, those whose event fits `when`; the others, or an earlier hook ended it
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> modifications{0};
  std::atomic<uint64_t> cancels{0};
  std::atomic<uint64_t> failures{0};
  std::atomic<int64_t> total_ns{0};
};

class Hook;
using HookSink = SinkSlot<const Hook&>;

class Hook {
 public:
  // `ended` receives the hook when no further call of it can come.
  Hook(uint64_t id, HookSpec spec, std::shared_ptr<HookSink> ended);
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;

  [[nodiscard]] uint64_t id() const noexcept { return id_; }
  [[nodiscard]] const HookSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] bool is(uint32_t flag) const noexcept { return (spec_.flags & flag) != 0; }
  [[nodiscard]] HookCounters& counters() noexcept { return counters_; }
  [[nodiscard]] const HookCounters& counters() const noexcept { return counters_; }

  // Guards last, then by priority, then engine, session, run, then registration.
  [[nodiscard]] HookPlace place() const noexcept { return {is(LH_HOOK_GUARD), spec_.priority, spec_.level, id_}; }

  // Begins a call. False if the hook was retired, or if its one call of LH_HOOK_ONCE is taken. Every begun call must be
  // ended.
  [[nodiscard]] bool begin() noexcept;
  // The last call of a retired hook runs `release`. `passed`: the event did not match.
  void end(bool passed) noexcept LH_EXCLUDES(mutex_);
  // The one call of LH_HOOK_ONCE has been made.
  [[nodiscard]] bool spent() const noexcept { return spent_.load(std::memory_order_acquire); }

  // Prevents further calls. False if it was retired before. Runs `release` if no call is running.
  bool retire() noexcept LH_EXCLUDES(mutex_);
  // Reports that it will not be called any more; once, at the latest before `release`.
  void tell_end() noexcept;
  // Returns once the hook is retired, no call of it is running, and `release` has returned.
  void wait_until_released() LH_EXCLUDES(mutex_);

 private:
  void release() noexcept LH_EXCLUDES(mutex_);

  static constexpr uint32_t kRetired = 1U << 31U;
  static constexpr uint32_t kTaken = 1U << 30U;  // the one call of LH_HOOK_ONCE is taken

  const uint64_t id_;
  const HookSpec spec_;
  HookCounters counters_;
  std::atomic<uint32_t> state_{0};  // kRetired, kTaken and the number of running calls
  std::atomic<bool> spent_{false};
  const std::shared_ptr<HookSink> ended_;
  std::atomic<bool> told_end_{false};
  Mutex mutex_;
  std::condition_variable condition_;
  bool released_ LH_GUARDED_BY(mutex_) = false;
};
static_assert(!std::is_copy_constructible_v<Hook>);

}  // namespace lh
