#include "hooks/registry/removal_waits.h"

#include <algorithm>

#include "hooks/calls/call.h"

namespace lh {
namespace {

bool contains(const std::vector<const Hook*>& hooks, const Hook& hook) {
  return std::ranges::find(hooks, &hook) != hooks.end();
}

}  // namespace

RemovalWaits::Wait::Wait(RemovalWaits& waits, const Hook& target)
    : waits_(waits), target_(target), held_up_(Call::hooks_under_way()) {
  MutexLock lock(waits_.mutex_);
  // The call of a parallel hook ends only when this one has ended.
  may_wait_ = !contains(held_up_, target_) && !waits_.holds_up(target_, held_up_);
  if (may_wait_) waits_.waits_.push_back(this);
}

RemovalWaits::Wait::~Wait() {
  MutexLock lock(waits_.mutex_);
  waits_.waits_.remove(this);
}

bool RemovalWaits::holds_up(const Hook& target, const std::vector<const Hook*>& held_up) const {
  return std::ranges::any_of(waits_, [&](const Wait* wait) LH_NO_THREAD_SAFETY_ANALYSIS {
    if (!contains(wait->held_up_, target)) return false;
    return contains(held_up, wait->target_) || holds_up(wait->target_, held_up);
  });
}

}  // namespace lh
