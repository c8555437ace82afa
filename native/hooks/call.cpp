#include "hooks/call.h"

#include <utility>

namespace lh {
namespace {

thread_local Call* innermost = nullptr;

}  // namespace

bool gave_up_with_operation(const HookFailure& failure, CancelFlag* own) {
  const bool gave_up = failure.code == Code::kCancelled || failure.code == Code::kHookCancelled;
  const CancelFlag* operation = Call::operation(own);
  return gave_up && operation != nullptr && operation->cancelled();
}

Call::Call(const Hook& hook, CancelFlag* cancel) noexcept
    : hook_(hook), cancel_(operation(cancel)), outer_(innermost) {
  innermost = this;
}

Call::~Call() {
  innermost = outer_;
  for (const uint64_t id : listeners_) cancel_->unlisten(id);
}

CancelFlag* Call::operation(CancelFlag* own) noexcept {
  return own == nullptr && innermost != nullptr ? innermost->cancel_ : own;
}

Call* Call::current() noexcept { return innermost; }

bool Call::inside(const Hook& hook) noexcept {
  for (const Call* call = innermost; call != nullptr; call = call->outer_) {
    if (&call->hook_ == &hook) return true;
  }
  return false;
}

bool Call::inside(Point point) noexcept {
  for (const Call* call = innermost; call != nullptr; call = call->outer_) {
    if (call->hook_.spec().point == point) return true;
  }
  return false;
}

std::vector<const Hook*> Call::hooks_under_way() {
  std::vector<const Hook*> hooks;
  for (const Call* call = innermost; call != nullptr; call = call->outer_) hooks.push_back(&call->hook_);
  return hooks;
}

void Call::fail(HookFailure failure) {
  if (!failure_) failure_ = std::move(failure);
}

void Call::on_cancel(std::function<void()> wake) {
  if (cancel_ == nullptr) return;
  listeners_.reserve(listeners_.size() + 1);
  listeners_.push_back(cancel_->listen(std::move(wake)));
}

}  // namespace lh
