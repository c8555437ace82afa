#include "hooks/calls/operation.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "hooks/calls/call.h"

namespace lh {
namespace {

thread_local std::shared_ptr<Operation> working;
thread_local std::vector<std::shared_ptr<const CallFrame>> entered;

int live_depth(const CallFrame* frame) noexcept { return frame == nullptr || frame->over ? 0 : frame->depth; }

// A call that is over holds nothing up, and neither do the calls around it.
bool any_outward(const std::shared_ptr<const CallFrame>& inner, FunctionRef<bool(const CallFrame&)> is) {
  for (const CallFrame* frame = inner.get(); frame != nullptr && !frame->over; frame = frame->outer.get()) {
    if (is(*frame)) return true;
    const auto work = frame->work.lock();
    if (work != nullptr && any_outward(work->started_in, is)) return true;
  }
  return false;
}

}  // namespace

std::shared_ptr<const CallFrame> CallFrame::current() {
  Call* const call = Call::current();
  if (call != nullptr && call->entered_before() == entered.size()) return call->frame();
  return entered.empty() || entered.back()->over ? nullptr : entered.back();
}

std::shared_ptr<const CallFrame> CallFrame::last_entered() { return entered.empty() ? nullptr : entered.back(); }

size_t CallFrame::entered_count() noexcept { return entered.size(); }

int CallFrame::depth_here() noexcept {
  int depth = entered.empty() ? 0 : live_depth(entered.back().get());
  if (const Call* call = Call::current()) return std::max(depth, call->depth());
  if (working != nullptr) depth = std::max(depth, live_depth(working->started_in.get()));
  return depth;
}

bool CallFrame::any(FunctionRef<bool(const CallFrame&)> is) {
  if (working != nullptr && any_outward(working->started_in, is)) return true;
  return std::ranges::any_of(entered, [&](const auto& frame) { return any_outward(frame, is); });
}

Status CallFrame::enter(uint64_t id) {
  std::shared_ptr<const CallFrame> frame = Call::find(id);
  if (frame == nullptr)
    return {Code::kNotFound, "no hook call has the number " + std::to_string(id) + ", or it is over"};
  entered.push_back(std::move(frame));
  return {};
}

void CallFrame::leave() noexcept {
  if (!entered.empty()) entered.pop_back();
}

void InUse::add(const void* thing) {
  const MutexLock lock(mutex_);
  things_.push_back(thing);
}

void InUse::remove(const void* thing) noexcept {
  const MutexLock lock(mutex_);
  const auto found = std::ranges::find(things_, thing);
  if (found != things_.end()) things_.erase(found);
}

bool InUse::has(const void* thing) const {
  const MutexLock lock(mutex_);
  return std::ranges::find(things_, thing) != things_.end();
}

const std::shared_ptr<Operation>& Operation::current() noexcept { return working; }

bool Operation::held_up(FunctionRef<bool(const Operation&)> is) {
  if (working != nullptr && is(*working)) return true;
  return CallFrame::any([&](const CallFrame& frame) {
    const auto work = frame.work.lock();
    return work != nullptr && is(*work);
  });
}

int Operation::level_here() {
  int level = CallFrame::depth_here();
  static_cast<void>(held_up([&level](const Operation& one) {
    level = std::max(level, one.level + 1);
    return false;
  }));
  return level;
}

OperationScope::OperationScope(std::shared_ptr<Operation> work) noexcept
    : before_(std::exchange(working, std::move(work))) {}
OperationScope::~OperationScope() { working = std::move(before_); }

}  // namespace lh
