// The running calls of hooks and tools on this thread, and what their callbacks report about themselves (lh_call_*).
// Must not: be used by another thread.
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

// True if a hook failed because the operation that it held up was cancelled. This is neither the hook's fault nor a
// veto. `own`: as in Call's constructor.
bool gave_up_with_operation(const HookFailure& failure, CancelFlag* own);

// Exists while a callback runs. Nested dispatches stack.
class Call {
 public:
  // `hook` null: a call of a tool. `cancel` may be null: see operation(). `group`: the hooks that run in parallel with
  // it.
  Call(const Hook* hook, CancelFlag* cancel, HookGroup group = nullptr) noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // The flag of the operation that a dispatch belongs to: its own, or else that of the call in which the dispatch is
  // made.
  [[nodiscard]] static CancelFlag* operation(CancelFlag* own) noexcept;
  // The innermost call on this thread, or null.
  [[nodiscard]] static Call* current() noexcept;
  // True if a call of `hook` is running on this thread, or this thread acts inside one.
  [[nodiscard]] static bool inside(const Hook& hook) noexcept;
  // True if a call of any hook of `point` is running on this thread.
  [[nodiscard]] static bool inside(Point point) noexcept;

  // The call of that number, for other threads. Null if it is over or never existed.
  [[nodiscard]] static std::shared_ptr<const CallFrame> find(uint64_t id);

  // Adds a directive to the tool call of that number. Errors: NOT_FOUND if the call is over, INVALID_ARGUMENT if it is
  // a hook's.
  [[nodiscard]] static Status direct(uint64_t id, Json directive);
  // Takes the directives so far, an array or null, and accepts no more.
  [[nodiscard]] Json take_directives();

  // False: a call of a tool.
  [[nodiscard]] bool is_hook() const noexcept { return hook_ != nullptr; }
  // The number of calls that this thread had entered (CallFrame::enter) when this one began.
  [[nodiscard]] size_t entered_before() const noexcept { return entered_before_; }
  // The depth of nested hook calls, this one included, across threads.
  [[nodiscard]] int depth() const noexcept { return depth_; }
  // The frame by which other threads refer to the call. Created at first use: few calls need one.
  [[nodiscard]] const std::shared_ptr<CallFrame>& frame();

  // The hooks of all calls that run on this thread or that it acts inside of, and the hooks in parallel with them.
  [[nodiscard]] static std::vector<const Hook*> hooks_under_way();

  // The first failure counts.
  void fail(HookFailure failure);
  [[nodiscard]] std::optional<HookFailure> take_failure() noexcept { return std::move(failure_); }

  // The callback has returned without its answer, and this thread continues with other work until the answer comes. For
  // the innermost call only.
  void step_out() noexcept;

  // The event did not match the hook: the call is not counted.
  void pass() noexcept { passed_ = true; }
  [[nodiscard]] bool passed() const noexcept { return passed_; }
  // The answer will come later, through the result. Errors: INVALID_ARGUMENT (called twice, or the hook is an
  // observer).
  Result<std::shared_ptr<Pending>> defer(Pending::OnOver on_over, void* user_data);
  // Null if the callback itself answers.
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
