// Who holds up what: the work a thread does, the hook calls it acts inside, and so what it must not wait for.
// Must not: know what the work is, or wait.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/function_ref.h"
#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/mutex.h"

namespace lh {

class Hook;
struct Operation;

// Hooks that are asked at the same time: the calls of all of them end when the last has answered.
using HookGroup = std::shared_ptr<const std::vector<const Hook*>>;

// A hook call as threads other than its own refer to it, also when it is over.
struct CallFrame {
  uint64_t id = 0;                         // never 0, never used again in this process
  int depth = 0;                           // of hook calls, this one included
  const Hook* hook = nullptr;              // null: a tool's. To be compared only: it may be gone when the call is over
  HookGroup group;                         // that it is asked with; null: alone
  std::shared_ptr<const CallFrame> outer;  // the call that this one is made inside of
  std::weak_ptr<const Operation> work;     // that the call holds up; none outside of any, or when that is over
  std::atomic<bool> over{false};
  Json directives;  // that a tool has asked for so far: an array, or null. For Call alone

  // The call that this thread acts inside of, whichever came last: one that runs on it or one it has entered. Null
  // outside.
  [[nodiscard]] static std::shared_ptr<const CallFrame> current();
  // The one that this thread has entered last, and how many it has; null when none.
  [[nodiscard]] static std::shared_ptr<const CallFrame> last_entered();
  [[nodiscard]] static size_t entered_count() noexcept;
  // How deep a hook call would be that this thread made now, less that call itself.
  [[nodiscard]] static int depth_here() noexcept;
  // True if `is` holds for a call that this thread has entered, for one that the work on this thread was started from,
  // or for one that such a call was made or started inside of. Calls that are over are left out.
  [[nodiscard]] static bool any(FunctionRef<bool(const CallFrame&)> is);
  // This thread acts inside the call, until leave(). Nests. Errors: NOT_FOUND when that call is over.
  [[nodiscard]] static Status enter(uint64_t id);
  static void leave() noexcept;
};

// Things in use, to be compared only. Any thread.
class InUse {
 public:
  void add(const void* thing);
  void remove(const void* thing) noexcept;  // once for each add
  [[nodiscard]] bool has(const void* thing) const;

 private:
  mutable Mutex mutex_;
  std::vector<const void*> things_ LH_GUARDED_BY(mutex_);
};

// A piece of long work (a generation, a load). Made by the thread that starts it, before it starts.
struct Operation {
  // The hook call that it was started from. Once that is over it holds the call up no longer.
  const std::shared_ptr<const CallFrame> started_in = CallFrame::current();
  // How many pieces of work may wait for this one, each for the next; 0: only a caller's own code. It stays when the
  // call that the work was started from is over: where each waits for larger levels only, nobody waits in a circle.
  const int level = level_here();
  // What the work keeps in use. Each is added by its own thread, before it fires a hook that may ask.
  InUse uses;
  // The session whose run it is, to be compared only. Set by its own thread, before it fires its first hook.
  const void* session = nullptr;
  // What the work waits for all users of, or may come to, to be compared only: a model that it may take back.
  std::atomic<const void*> awaits_users_of{nullptr};

  // The work that this thread does; null outside.
  [[nodiscard]] static const std::shared_ptr<Operation>& current() noexcept;
  // The level of work that this thread starts now.
  [[nodiscard]] static int level_here();
  // True if `is` holds for work that cannot end before the code on this thread has returned: what the thread does
  // itself, what the hook calls that it acts inside of hold up, and what those calls were started from.
  [[nodiscard]] static bool held_up(FunctionRef<bool(const Operation&)> is);
};

// This thread does the work, while it exists, and then what it did before.
class OperationScope {
 public:
  explicit OperationScope(std::shared_ptr<Operation> work) noexcept;
  ~OperationScope();
  OperationScope(const OperationScope&) = delete;
  OperationScope& operator=(const OperationScope&) = delete;

 private:
  std::shared_ptr<Operation> before_;
};
static_assert(!std::is_copy_constructible_v<OperationScope>);

}  // namespace lh
