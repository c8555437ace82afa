// The hook calls under way on this thread, and what their callbacks say about themselves (lh_call_*).
// Must not: be seen by another thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"
#include "hooks/hook.h"

namespace lh {

// Why a hook call counts as failed.
struct HookFailure {
  Code code = Code::kHookFailed;
  std::string message;
  uint64_t cause_id = 0;  // a binding's own; 0: none
};

// True if a hook failed because the operation it held up was cancelled, which is no fault of the hook's and no veto.
// `own` as Call's constructor takes it.
bool gave_up_with_operation(const HookFailure& failure, CancelFlag* own);

// Exists while a callback runs. Nested dispatches stack.
class Call {
 public:
  // `cancel` may be null: see operation().
  Call(const Hook& hook, CancelFlag* cancel) noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // The flag of the operation that a dispatch belongs to: without one of its own, that of the call it is made from.
  [[nodiscard]] static CancelFlag* operation(CancelFlag* own) noexcept;
  // The innermost call on this thread, or null.
  [[nodiscard]] static Call* current() noexcept;
  // True if a call of `hook` is under way on this thread.
  [[nodiscard]] static bool inside(const Hook& hook) noexcept;
  // True if a call of any hook of `point` is under way on this thread.
  [[nodiscard]] static bool inside(Point point) noexcept;

  // The hooks of all calls under way on this thread.
  [[nodiscard]] static std::vector<const Hook*> hooks_under_way();

  // The first failure counts.
  void fail(HookFailure failure);
  [[nodiscard]] std::optional<HookFailure> take_failure() noexcept { return std::move(failure_); }

  // The call was not for this hook: it does not count.
  void pass() noexcept { passed_ = true; }
  [[nodiscard]] bool passed() const noexcept { return passed_; }

  [[nodiscard]] bool cancelled() const noexcept { return cancel_ != nullptr && cancel_->cancelled(); }
  void on_cancel(std::function<void()> wake);

 private:
  const Hook& hook_;
  CancelFlag* const cancel_;
  Call* const outer_;
  std::optional<HookFailure> failure_;
  bool passed_ = false;
  std::vector<uint64_t> listeners_;
};

}  // namespace lh
