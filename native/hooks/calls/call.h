// The calls of hooks and tools under way on this thread, and what their callbacks say about themselves (lh_call_*).
// Must not: be seen by another thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "base/threads/cancel.h"
#include "hooks/calls/operation.h"
#include "hooks/calls/pending.h"
#include "hooks/points/hook.h"

namespace lh {

// True if a hook failed because the operation it held up was cancelled, which is no fault of the hook's and no veto.
// `own` as Call's constructor takes it.
bool gave_up_with_operation(const HookFailure& failure, CancelFlag* own);

// Exists while a callback runs. Nested dispatches stack.
class Call {
 public:
  // `hook` null: the call of a tool. `cancel` may be null: see operation(). `group`: the hooks that it is asked with.
  Call(const Hook* hook, CancelFlag* cancel, HookGroup group = nullptr) noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // The flag of the operation that a dispatch belongs to: without one of its own, that of the call it is made from.
  [[nodiscard]] static CancelFlag* operation(CancelFlag* own) noexcept;
  // The innermost call on this thread, or null.
  [[nodiscard]] static Call* current() noexcept;
  // True if a call of `hook` is under way on this thread, or this thread acts inside one.
  [[nodiscard]] static bool inside(const Hook& hook) noexcept;
  // True if a call of any hook of `point` is under way on this thread.
  [[nodiscard]] static bool inside(Point point) noexcept;

  // The call of that number, as other threads refer to it; null when it is over or there never was one.
  [[nodiscard]] static std::shared_ptr<const CallFrame> find(uint64_t id);

  // The tool whose call has that number asks for something beside its result. Errors: NOT_FOUND when the call is over,
  // INVALID_ARGUMENT for one of a hook.
  [[nodiscard]] static Status direct(uint64_t id, Json directive);
  // Ends that: what it has asked for until now, an array, or null.
  [[nodiscard]] Json take_directives();

  // False: of a tool.
  [[nodiscard]] bool is_hook() const noexcept { return hook_ != nullptr; }
  // How many calls this thread had entered (CallFrame::enter) when this one began.
  [[nodiscard]] size_t entered_before() const noexcept { return entered_before_; }
  // How many hook calls this one is made inside of, itself included, through whatever threads.
  [[nodiscard]] int depth() const noexcept { return depth_; }
  // What other threads refer to it by. Made when it is first asked for: few calls need one.
  [[nodiscard]] const std::shared_ptr<CallFrame>& frame();

  // The hooks of all calls under way on this thread, or that it acts inside of, and those that they are asked with.
  [[nodiscard]] static std::vector<const Hook*> hooks_under_way();

  // The first failure counts.
  void fail(HookFailure failure);
  [[nodiscard]] std::optional<HookFailure> take_failure() noexcept { return std::move(failure_); }

  // The callback has returned, its answer is to come, and this thread goes on with something else until then. Call it
  // on the innermost call only.
  void step_out() noexcept;

  // The call was not for this hook: it does not count.
  void pass() noexcept { passed_ = true; }
  [[nodiscard]] bool passed() const noexcept { return passed_; }
  // The answer will come later, through what this returns. Errors: INVALID_ARGUMENT (for the second time, or an
  // observer).
  Result<std::shared_ptr<Pending>> defer(Pending::OnOver on_over, void* user_data);
  // Null when the answer comes from the callback itself.
  [[nodiscard]] const std::shared_ptr<Pending>& deferred() const noexcept { return deferred_; }

  [[nodiscard]] bool cancelled() const noexcept { return cancel_ != nullptr && cancel_->cancelled(); }
  void on_cancel(std::function<void()> wake);

 private:
  const Hook* const hook_;
  CancelFlag* const cancel_;
  Call* const outer_;
  const int depth_;
  const size_t entered_before_;
  const HookGroup group_;
  std::shared_ptr<CallFrame> frame_;
  std::shared_ptr<Pending> deferred_;
  std::optional<HookFailure> failure_;
  bool passed_ = false;
  bool stepped_out_ = false;
  std::vector<uint64_t> listeners_;
};
static_assert(!std::is_copy_constructible_v<Call>);

}  // namespace lh
