// Tracks who holds up whom: the work of a thread, the hook calls that it acts inside of, and what it therefore must not
// wait for.
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

// Hooks that run at the same time: their calls all end when the last one has answered.
using HookGroup = std::shared_ptr<const std::vector<const Hook*>>;

// A hook call as other threads refer to it, also after its end.
struct CallFrame {
  uint64_t id = 0;                         // never 0, never reused in this process
  int depth = 0;                           // of nested hook calls, this one included
  const Hook* hook = nullptr;              // null: a tool. Only for comparison: it may be gone once the call is over
  HookGroup group;                         // that it runs with; null: alone
  std::shared_ptr<const CallFrame> outer;  // the call around this one
  std::weak_ptr<const Operation> work;     // that the call holds up; none outside of work, or once that is over
  std::atomic<bool> over{false};
  Json directives;  // of a tool so far: an array, or null. For Call only

  // The call that this thread acts inside of: the one that began or was entered last. Null: none.
  [[nodiscard]] static std::shared_ptr<const CallFrame> current();
  // The call that this thread entered last (null: none), and the number of entered calls.
  [[nodiscard]] static std::shared_ptr<const CallFrame> last_entered();
  [[nodiscard]] static size_t entered_count() noexcept;
  // The depth around a hook call that this thread would make now.
  [[nodiscard]] static int depth_here() noexcept;
  // True if `is` holds for a call that this thread entered, for the call that started this thread's work, or for a call
  // around one of these. Calls that are over do not count.
  [[nodiscard]] static bool any(FunctionRef<bool(const CallFrame&)> is);
  // This thread acts inside the call until leave(). Nests. Errors: NOT_FOUND if the call is over.
  [[nodiscard]] static Status enter(uint64_t id);
  static void leave() noexcept;
};

// Things in use, for comparison only. Any thread.
class InUse {
 public:
  void add(const void* thing);
  void remove(const void* thing) noexcept;  // once per add
  [[nodiscard]] bool has(const void* thing) const;

 private:
  mutable Mutex mutex_;
  std::vector<const void*> things_ LH_GUARDED_BY(mutex_);
};

// A long piece of work (a generation, a load). Created by the thread that starts it, before it starts.
struct Operation {
  // The hook call that started it. Once that call is over, this work no longer holds it up.
  const std::shared_ptr<const CallFrame> started_in = CallFrame::current();
  // How many pieces of work may wait for this one in a chain; 0: only the caller's own code. The level stays when the
  // starting call is over: if everyone waits only for larger levels, there is no cycle.
  const int level = level_here();
  // Things that the work uses. Its own thread adds each before it fires a hook that may ask.
  InUse uses;
  // The session of the run, for comparison only. Set by the work's own thread before its first hook.
  const void* session = nullptr;
  // A model that the work may evict, so that it waits for all users of it. For comparison only.
  std::atomic<const void*> awaits_users_of{nullptr};

  // The work of this thread; null: none.
  [[nodiscard]] static const std::shared_ptr<Operation>& current() noexcept;
  // The level of work that this thread would start now.
  [[nodiscard]] static int level_here();
  // True if `is` holds for work that cannot end before the code on this thread returns: the thread's own work, the work
  // held up by the hook calls that it acts inside of, and the work from which those calls were started.
  [[nodiscard]] static bool held_up(FunctionRef<bool(const Operation&)> is);
};

// While it exists, this thread does the work; afterwards it returns to its previous work.
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
