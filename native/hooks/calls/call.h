// The calls of hooks and tools that run on this thread, and what their callbacks report through lh_call_*.
// Must not: be used from another thread; other threads use CallFrame.
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
#include "hooks/calls/call_frame.h"
#include "hooks/calls/operation.h"
#include "hooks/calls/pending.h"
#include "hooks/points/hook.h"

namespace lh {

// True if a hook failed only because the operation that waited for it was cancelled: that is neither the hook's fault
// nor a veto. `own` as in Call's constructor.
bool gave_up_with_operation(const HookFailure& failure, CancelFlag* own);

// Exists while a callback runs. Nested dispatches stack.
class Call {
 public:
  // `hook` null: a tool's call. `cancel` may be null: see operation(). `group`: the hooks asked together with `hook`.
  Call(const Hook* hook, CancelFlag* cancel, HookGroup group = nullptr) noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // The cancel flag of the operation that a dispatch belongs to: `own`, or if that is null the flag of the call that
  // the dispatch is made from.
  [[nodiscard]] static CancelFlag* operation(CancelFlag* own) noexcept;
  // The innermost call on this thread, or null.
  [[nodiscard]] static Call* current() noexcept;
  // True if a call of `hook` is running on this thread, or this thread acts inside one.
  [[nodiscard]] static bool inside(const Hook& hook) noexcept;
  // True if a call of any hook of `point` is running on this thread.
  [[nodiscard]] static bool inside(Point point) noexcept;

  // The call that this thread acts inside of: the call that runs on it or the call that it entered, whichever began
  // last. Null outside.
  [[nodiscard]] static std::shared_ptr<const CallFrame> current_frame();
  // The depth that a hook call made on this thread would have, minus one.
  [[nodiscard]] static int depth_here() noexcept;
  // The level of work that this thread starts now: see Operation.
  [[nodiscard]] static int level_here();
  // The operation of the work that this thread starts now.
  [[nodiscard]] static std::shared_ptr<Operation> begin_operation();

  // Sets the receiver of the tool's reports; it outlives the call. Called before the callback is called.
  void set_listener(ToolListener* listener) noexcept { listener_ = listener; }
  // Tells how far the tool whose call has that id is, and passes it on if that call runs on this thread. Errors: as
  // CallFrame::tell_progress().
  [[nodiscard]] static Status tell_progress(uint64_t id, CallProgress progress);

  // The tool may ask for nothing more: returns the directives that it has asked for, an array, or null.
  [[nodiscard]] Json take_directives();

  // False: a tool's call.
  [[nodiscard]] bool is_hook() const noexcept { return hook_ != nullptr; }
  // The number of calls that this thread had entered (CallFrame::enter) when this call began.
  [[nodiscard]] size_t entered_before() const noexcept { return entered_before_; }
  // The number of hook calls that this call is nested in, across threads, itself included.
  [[nodiscard]] int depth() const noexcept { return depth_; }
  // The frame that other threads use. It is made at the first use: few calls need one.
  [[nodiscard]] const std::shared_ptr<CallFrame>& frame();

  // The hooks of all calls that run on this thread or that it acts inside of, and the hooks asked together with them.
  [[nodiscard]] static std::vector<const Hook*> hooks_under_way();

  // The first failure counts.
  void fail(HookFailure failure);
  [[nodiscard]] std::optional<HookFailure> take_failure() noexcept { return std::move(failure_); }

  // The callback has returned without its answer, and this thread does something else until the answer comes. For the
  // innermost call only.
  void step_out() noexcept;

  // The hook has passed: the call does not count.
  void pass() noexcept { passed_ = true; }
  [[nodiscard]] bool passed() const noexcept { return passed_; }
  // The answer will come later, through the returned object. Errors: INVALID_ARGUMENT if the call is deferred already
  // or the hook is an observer.
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
  ToolListener* listener_ = nullptr;
  std::shared_ptr<CallFrame> frame_;
  std::shared_ptr<Pending> deferred_;
  std::optional<HookFailure> failure_;
  bool passed_ = false;
  bool stepped_out_ = false;
  std::vector<uint64_t> listeners_;
};
static_assert(!std::is_copy_constructible_v<Call>);

}  // namespace lh
