// The work that a thread does, the hook calls that this work was started from, and so what the thread must not wait
// for.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "base/threads/mutex.h"
#include "hooks/calls/call_frame.h"

namespace lh {

// Things in use, only to be compared. Any thread.
class InUse {
 public:
  void add(const void* thing);
  void remove(const void* thing) noexcept;  // once per add
  [[nodiscard]] bool has(const void* thing) const;

 private:
  mutable Mutex mutex_;
  std::vector<const void*> things_ LH_GUARDED_BY(mutex_);
};

// A piece of long work (a generation, a load). Call::begin_operation() makes it, on the thread that starts the work,
// before the work starts.
struct Operation {
  Operation(std::shared_ptr<const CallFrame> started_in_call, int work_level) noexcept
      : started_in(std::move(started_in_call)), level(work_level) {}

  // The hook call that the work was started from. When that call is over, the work no longer holds it up.
  const std::shared_ptr<const CallFrame> started_in;
  // The number of pieces of work that may wait for this one, each for the next; 0: only code of the caller waits. The
  // level stays when the call that the work was started from is over: if each waits for larger levels only, no circle
  // of waits can form.
  const int level;
  // The models and adapters that the work keeps in use. The thread of the work adds each before it fires a hook that
  // may ask.
  InUse uses;
  // Unique in the process; events of the trace name it.
  const uint64_t number = next_number();
  // The session whose run this is, only to be compared. The thread of the work sets it before it fires its first hook.
  const void* session = nullptr;
  // The number of its threads that wait for an answer that comes later. These waits have separate limits, so a close
  // does not count their time.
  std::atomic<int> answers_awaited{0};
  // The model whose users the work waits for, or may wait for later (it may evict that model); only to be compared.
  std::atomic<const void*> awaits_users_of{nullptr};

  // The work that this thread does; null if it does none.
  [[nodiscard]] static const std::shared_ptr<Operation>& current() noexcept;
  // True if `is` returns true for a hook call that this thread has entered, or that the work on this thread was started
  // from, or that such a call was made or started inside of. Skips calls that are over.
  [[nodiscard]] static bool any_call(FunctionRef<bool(const CallFrame&)> is);
  // True if `is` returns true for work that cannot end before the code on this thread has returned: the work of this
  // thread, the work that its hook calls hold up, and the work that those calls were started from.
  [[nodiscard]] static bool held_up(FunctionRef<bool(const Operation&)> is);

 private:
  static uint64_t next_number() noexcept {
    static std::atomic<uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }
};

// This thread does the given work while the object exists, and its former work after that.
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
