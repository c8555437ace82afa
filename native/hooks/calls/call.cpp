#include "hooks/calls/call.h"

#include <unordered_map>
#include <utility>

#include "base/threads/mutex.h"

namespace lh {
namespace {

thread_local Call* innermost = nullptr;

// The running calls that have a frame.
struct Frames {
  Mutex mutex;
  std::unordered_map<uint64_t, std::shared_ptr<CallFrame>> by_id LH_GUARDED_BY(mutex);
  uint64_t last_id LH_GUARDED_BY(mutex) = 0;
};

Frames& frames() {
  static auto& all = *new Frames;  // never destroyed: calls end while the process exits
  return all;
}

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
      depth_(CallFrame::depth_here() + 1),
      entered_before_(CallFrame::entered_count()),
      group_(std::move(group)) {
  innermost = this;
}

Call::~Call() {
  if (!stepped_out_) innermost = outer_;
  if (frame_ != nullptr) {
    frame_->over = true;
    MutexLock lock(frames().mutex);
    frames().by_id.erase(frame_->id);
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
  return CallFrame::any([&hook](const CallFrame& frame) { return frame.hook == &hook; });
}

bool Call::inside(Point point) noexcept {
  for (const Call* call = innermost; call != nullptr; call = call->outer_) {
    if (call->hook_ != nullptr && call->hook_->spec().point == point) return true;
  }
  return false;
}

std::shared_ptr<const CallFrame> Call::find(uint64_t id) {
  MutexLock lock(frames().mutex);
  const auto found = frames().by_id.find(id);
  return found == frames().by_id.end() ? nullptr : found->second;
}

Status Call::direct(uint64_t id, Json directive) {
  MutexLock lock(frames().mutex);
  const auto found = frames().by_id.find(id);
  if (found == frames().by_id.end()) return {Code::kNotFound, "the call of the tool is over"};
  CallFrame& frame = *found->second;
  if (frame.hook != nullptr) return {Code::kInvalidArgument, "a hook has no directives"};
  if (frame.directives.is_null()) frame.directives = Json::array();
  frame.directives.push_back(std::move(directive));
  return {};
}

Json Call::take_directives() {
  if (frame_ == nullptr) return {};
  MutexLock lock(frames().mutex);
  frames().by_id.erase(frame_->id);
  return std::exchange(frame_->directives, Json());
}

const std::shared_ptr<CallFrame>& Call::frame() {
  if (frame_ != nullptr) return frame_;
  auto frame = std::make_shared<CallFrame>();
  frame->depth = depth_;
  frame->hook = hook_;
  frame->group = group_;
  frame->work = Operation::current();
  if (entered_before_ > (outer_ == nullptr ? 0 : outer_->entered_before_)) {
    frame->outer = CallFrame::last_entered();
  } else if (outer_ != nullptr) {
    frame->outer = outer_->frame();
  }
  MutexLock lock(frames().mutex);
  frame->id = frames().last_id + 1;
  frames().by_id.emplace(frame->id, frame);
  frames().last_id = frame->id;
  frame_ = std::move(frame);
  return frame_;
}

Result<std::shared_ptr<Pending>> Call::defer(Pending::OnOver on_over, void* user_data) {
  if (deferred_ != nullptr) return Status(Code::kInvalidArgument, "this hook call is deferred already");
  if (hook_ != nullptr && hook_->is(LH_HOOK_OBSERVE))
    return Status(Code::kInvalidArgument, "nobody waits for the answer of an observer");
  deferred_ = std::make_shared<Pending>(on_over, user_data);
  return deferred_;
}

std::vector<const Hook*> Call::hooks_under_way() {
  std::vector<const Hook*> hooks;
  const auto add = [&hooks](const Hook* hook, const HookGroup& group) {
    hooks.push_back(hook);
    if (group != nullptr) hooks.insert(hooks.end(), group->begin(), group->end());
  };
  for (const Call* call = innermost; call != nullptr; call = call->outer_) add(call->hook_, call->group_);
  static_cast<void>(CallFrame::any([&add](const CallFrame& frame) {
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
