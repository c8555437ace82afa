#include "hooks/calls/call.h"

#include <algorithm>
#include <utility>

namespace lh {
namespace {

thread_local Call* innermost = nullptr;

}  // namespace

bool gave_up_with_operation(const HookFailure& failure, CancelFlag* own) {
  const bool gave_up =
      failure.code == Code::kCancelled || failure.code == Code::kHookCancelled || failure.code == Code::kClosed;
  const CancelFlag* operation = Call::operation(own);
  return gave_up && operation != nullptr && operation->cancelled();
}

Call::Call(const Hook* hook, CancelFlag* cancel, HookGroup group) noexcept
    : hook_(hook),
      cancel_(operation(cancel)),
      outer_(innermost),
      depth_(depth_here() + 1),
      entered_before_(CallFrame::entered_count()),
      group_(std::move(group)) {
  innermost = this;
}

Call::~Call() {
  if (!stepped_out_) innermost = outer_;
  if (frame_ != nullptr) {
    frame_->over = true;
    CallFrame::drop(*frame_);
  }
  for (const uint64_t id : listeners_) cancel_->unlisten(id);
}

void Call::step_out() noexcept {
  innermost = outer_;
  stepped_out_ = true;
}

CancelFlag* Call::operation(CancelFlag* own) noexcept {
  return own == nullptr && innermost != nullptr ? innermost->cancel_ : own;
}

Call* Call::current() noexcept { return innermost; }

bool Call::inside(const Hook& hook) noexcept {
  for (const Call* call = innermost; call != nullptr; call = call->outer_) {
    if (call->hook_ == &hook) return true;
  }
  return Operation::any_call([&hook](const CallFrame& frame) { return frame.hook == &hook; });
}

bool Call::inside(Point point) noexcept {
  for (const Call* call = innermost; call != nullptr; call = call->outer_) {
    if (call->hook_ != nullptr && call->hook_->spec().point == point) return true;
  }
  return false;
}

std::shared_ptr<const CallFrame> Call::current_frame() {
  if (innermost != nullptr && innermost->entered_before_ == CallFrame::entered_count()) return innermost->frame();
  std::shared_ptr<const CallFrame> last = CallFrame::last_entered();
  return last == nullptr || last->over ? nullptr : last;
}

int Call::depth_here() noexcept {
  const int depth = CallFrame::entered_depth();
  if (innermost != nullptr) return std::max(depth, innermost->depth_);
  const auto& work = Operation::current();
  return work == nullptr ? depth : std::max(depth, live_depth(work->started_in.get()));
}

int Call::level_here() {
  int level = depth_here();
  static_cast<void>(Operation::held_up([&level](const Operation& one) {
    level = std::max(level, one.level + 1);
    return false;
  }));
  return level;
}

std::shared_ptr<Operation> Call::begin_operation() {
  return std::make_shared<Operation>(current_frame(), level_here());
}

Status Call::tell_progress(uint64_t id, CallProgress progress) {
  if (Status status = CallFrame::tell_progress(id, std::move(progress)); !status.ok()) return status;
  // No other thread can, while the tool holds up its run thread.
  const Call* const call = innermost;
  if (call != nullptr && call->frame_ != nullptr && call->frame_->id == id) call->listener_->pass_on();
  return {};
}

Json Call::take_directives() {
  if (frame_ == nullptr) return {};
  return CallFrame::take_directives(*frame_);
}

const std::shared_ptr<CallFrame>& Call::frame() {
  if (frame_ != nullptr) return frame_;
  auto frame = std::make_shared<CallFrame>();
  frame->depth = depth_;
  frame->hook = hook_;
  frame->listener = listener_;
  frame->group = group_;
  frame->work = Operation::current();
  if (entered_before_ > (outer_ == nullptr ? 0 : outer_->entered_before_)) {
    frame->outer = CallFrame::last_entered();
  } else if (outer_ != nullptr) {
    frame->outer = outer_->frame();
  }
  CallFrame::add(frame);
  frame_ = std::move(frame);
  return frame_;
}

Result<std::shared_ptr<Pending>> Call::defer(Pending::OnOver on_over, void* user_data) {
  if (deferred_ != nullptr) return Status(Code::kInvalidArgument, "this hook call is deferred already");
  if (hook_ != nullptr && hook_->is(LH_HOOK_OBSERVE))
    return Status(Code::kInvalidArgument, "nobody waits for the answer of an observer");
  deferred_ = std::make_shared<Pending>(on_over, user_data, cancel_);
  return deferred_;
}

std::vector<const Hook*> Call::hooks_under_way() {
  std::vector<const Hook*> hooks;
  const auto add = [&hooks](const Hook* hook, const HookGroup& group) {
    hooks.push_back(hook);
    if (group != nullptr) hooks.insert(hooks.end(), group->begin(), group->end());
  };
  for (const Call* call = innermost; call != nullptr; call = call->outer_) add(call->hook_, call->group_);
  static_cast<void>(Operation::any_call([&add](const CallFrame& frame) {
    add(frame.hook, frame.group);
    return false;
  }));
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
