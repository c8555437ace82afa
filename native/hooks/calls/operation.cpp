#include "hooks/calls/operation.h"

#include <algorithm>
#include <utility>

namespace lh {
namespace {

thread_local std::shared_ptr<Operation> working;

// A call that is over holds up nothing, and neither do the calls that it was made inside of.
bool any_outward(const std::shared_ptr<const CallFrame>& inner, FunctionRef<bool(const CallFrame&)> is) {
  for (const CallFrame* frame = inner.get(); frame != nullptr && !frame->over; frame = frame->outer.get()) {
    if (is(*frame)) return true;
    const auto work = frame->work.lock();
    if (work != nullptr && any_outward(work->started_in, is)) return true;
  }
  return false;
}

}  // namespace

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

bool Operation::any_call(FunctionRef<bool(const CallFrame&)> is) {
  if (working != nullptr && any_outward(working->started_in, is)) return true;
  return CallFrame::any_entered([&](const auto& frame) { return any_outward(frame, is); });
}

bool Operation::held_up(FunctionRef<bool(const Operation&)> is) {
  if (working != nullptr && is(*working)) return true;
  return any_call([&](const CallFrame& frame) {
    const auto work = frame.work.lock();
    return work != nullptr && is(*work);
  });
}

OperationScope::OperationScope(std::shared_ptr<Operation> work) noexcept
    : before_(std::exchange(working, std::move(work))) {}
OperationScope::~OperationScope() { working = std::move(before_); }

}  // namespace lh
