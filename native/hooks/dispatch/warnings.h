// Reports mistakes that are not reported anywhere else: the first failure of each hook, if no hook at ON_ERROR receives
// it, and tools that cannot be offered. A warning goes to a sink or, without a sink and a log, once to stderr.
// Must not: be called with a lock held.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/json/json.h"
#include "base/threads/mutex.h"
#include "base/threads/sink_slot.h"

namespace lh {

class Warnings {
 public:
  // {"code", "message"}, and for a hook {"hook_id", "hook", "point", "location", "effect", "cause_id"}. Called on the
  // thread of the failure. Must not block.
  using Sink = std::function<void(const Json& warning)>;

  Warnings() = default;
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;

  // nullptr: stderr. Returns when no call of the old one is running.
  void set_sink(Sink sink) { sink_.set(std::move(sink)); }
  // Stops the reports of failures of hooks.
  void ignore_hooks() noexcept { hooks_ignored_ = true; }
  [[nodiscard]] bool hooks_ignored() const noexcept { return hooks_ignored_; }

  // Reports it, unless a warning with this key has been reported. `line`: for stderr.
  void tell(std::string key, const Json& warning, std::string_view line) LH_EXCLUDES(mutex_);

 private:
  // A program that registers hooks endlessly would otherwise be warned endlessly.
  static constexpr size_t kMost = 1000;

  bool hooks_ignored_ = false;  // written before the first dispatch
  SinkSlot<const Json&> sink_;
  Mutex mutex_;
  std::set<std::string> told_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<Warnings>);

}  // namespace lh
