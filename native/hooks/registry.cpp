#include "hooks/registry.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "hooks/call.h"
#include "hooks/flag_table.h"

namespace lh {
namespace {

Status invalid(std::string message) { return {Code::kInvalidArgument, std::move(message)}; }

Status unknown_point(Point point) {
  return {Code::kUnknownHookPoint, "no hook point has the number " + std::to_string(point)};
}

Status no_hook(uint64_t id) { return {Code::kNotFound, "no hook has the id " + std::to_string(id)}; }

Status check(const HookSpec& spec, Registry::Points points) {
  const int slot = point_slot(spec.point);
  if (slot < 0) return unknown_point(spec.point);
  const PointInfo& point = point_table()[static_cast<size_t>(slot)];
  const auto has = [&](uint32_t flags) { return (spec.flags & flags) == flags; };
  if (spec.callback == nullptr) return invalid("hook: a function is needed");
  if ((spec.flags & ~kKnownFlags) != 0) {
    return invalid("flags: unknown bits " + std::to_string(spec.flags & ~kKnownFlags));
  }
  if (spec.deadline_ms < 0) return invalid("deadline_ms: is negative");
  if (has(LH_HOOK_GUARD) && point.kind != Kind::kPre) {
    return invalid("flags: a guard needs a pre point, and " + std::string(point.name) + " is none");
  }
  if (has(LH_HOOK_GUARD | LH_HOOK_OBSERVE)) return invalid("flags: a guard's answer counts, an observer's does not");
  if (has(LH_HOOK_FAIL_CLOSED | LH_HOOK_OBSERVE)) {
    return invalid("flags: an observer cannot fail closed, its answer does not count");
  }
  if (has(LH_HOOK_GUARD | LH_HOOK_ORIGINAL_CONTEXT)) {
    return invalid("flags: a guard sees the context as it will be used, not the original one");
  }
  if (has(LH_HOOK_PARALLEL) && point.collected.empty()) {
    return invalid("flags: a hook in parallel gives parts, and " + std::string(point.name) + " collects none");
  }
  if (has(LH_HOOK_PARALLEL) && (spec.flags & (LH_HOOK_GUARD | LH_HOOK_FAIL_CLOSED | LH_HOOK_OBSERVE)) != 0) {
    return invalid("flags: a hook in parallel gives parts: it is no guard, no observer, and cannot fail closed");
  }
  if (points == Registry::Points::kFired && !point.fires) {
    return {Code::kPointNotFired,
            std::string(point.name) + " is not fired by this version: a hook there would never run"};
  }
  return {};
}

Json flag_names(uint32_t flags) {
  Json names = Json::array();
  for (const auto& [flag, name] : kFlags) {
    if ((flags & flag) != 0) names.push_back(name);
  }
  return names;
}

Json describe(const Hook& hook, const PointInfo& point) {
  const HookSpec& spec = hook.spec();
  const HookCounters& counters = hook.counters();
  return {{"id", hook.id()},
          {"name", spec.name},
          {"point", spec.point},
          {"point_name", point.name},
          {"priority", spec.priority},
          {"deadline_ms", spec.deadline_ms},
          {"flags", flag_names(spec.flags)},
          {"calls", counters.calls.load(std::memory_order_relaxed)},
          {"modifications", counters.modifications.load(std::memory_order_relaxed)},
          {"cancels", counters.cancels.load(std::memory_order_relaxed)},
          {"failures", counters.failures.load(std::memory_order_relaxed)},
          {"total_us", static_cast<double>(counters.total_ns.load(std::memory_order_relaxed)) / 1000.0}};
}

int slot_count() { return static_cast<int>(point_table().size()); }

}  // namespace

// Told when the last holder of `in_use_` lets go.
struct Registry::Idle {
  Mutex mutex;
  std::condition_variable condition;
  bool idle LH_GUARDED_BY(mutex) = false;
};

Registry::Registry(Points points)
    : points_(points), slots_(std::make_unique<Slot[]>(point_table().size())), idle_(std::make_shared<Idle>()) {
  in_use_ = std::shared_ptr<void>(nullptr, [idle = idle_](void*) {
    MutexLock lock(idle->mutex);
    idle->idle = true;
    idle->condition.notify_all();
  });
}

Registry::~Registry() { close(); }

Result<uint64_t> Registry::add(HookSpec spec) {
  if (Status status = check(spec, points_); !status.ok()) return status;
  spec.name = to_utf8(spec.name);
  const int slot = point_slot(spec.point);
  std::shared_ptr<const HookList> old;  // freed after the lock
  MutexLock lock(mutex_);
  if (closed_ || sealed_) return Status(Code::kClosed, "the registry is closed");
  auto hook = std::make_shared<Hook>(next_id_, std::move(spec));
  std::vector<std::shared_ptr<Hook>> hooks = hooks_of(slot);
  const auto at =
      std::ranges::upper_bound(hooks, hook, [](const auto& a, const auto& b) { return a->runs_before(*b); });
  hooks.insert(at, hook);
  by_id_.emplace(hook->id(), hook);
  old = publish(slot, std::move(hooks));
  return next_id_++;
}

Status Registry::remove(uint64_t id) {
  const std::shared_ptr<Hook> hook = take(id);
  if (hook == nullptr) return no_hook(id);
  hook->retire();
  if (Call::inside(*hook)) return {};
  const RemovalWaits::Wait wait(waits_, *hook);
  if (!wait.may_wait()) {
    return {Code::kReentrant, "hook " + std::to_string(id) + " is removed, but a call of it waits for this one"};
  }
  hook->wait_until_released();
  return {};
}

Status Registry::retire(uint64_t id) {
  const std::shared_ptr<Hook> hook = take(id);
  if (hook == nullptr) return no_hook(id);
  hook->retire();
  return {};
}

Status Registry::clear(Point point) {
  const int only = point_slot(point);
  if (point != -1 && only < 0) return unknown_point(point);
  for (int slot = 0; slot < slot_count(); ++slot) {
    if (point != -1 && slot != only) continue;
    for (const auto& hook : take_all(slot)) hook->retire();
  }
  return {};
}

Json Registry::list() const {
  Json all = Json::array();
  for (int slot = 0; slot < slot_count(); ++slot) {
    const PointInfo& point = point_table()[static_cast<size_t>(slot)];
    for (const auto& hook : hooks_of(slot)) all.push_back(describe(*hook, point));
  }
  return all;
}

std::shared_ptr<const HookList> Registry::snapshot(int slot) const {
  const Slot& at = slots_[static_cast<size_t>(slot)];
  if (at.count.load(std::memory_order_acquire) == 0) return nullptr;
  MutexLock lock(at.mutex);
  return at.list;
}

void Registry::seal() {
  const MutexLock lock(mutex_);
  sealed_ = true;
}

bool Registry::sealed() const {
  const MutexLock lock(mutex_);
  return sealed_ || closed_;
}

void Registry::close() {
  std::shared_ptr<void> ours;
  {
    MutexLock lock(mutex_);
    if (closed_) return;
    closed_ = true;
    ours.swap(in_use_);
  }
  for (int slot = 0; slot < slot_count(); ++slot) {
    for (const auto& hook : take_all(slot)) {
      hook->retire();
      hook->wait_until_released();
    }
  }
  ours.reset();
  MutexLock lock(idle_->mutex);
  while (!idle_->idle) lock.wait(idle_->condition);
}

std::shared_ptr<Hook> Registry::take(uint64_t id) {
  std::shared_ptr<const HookList> old;  // freed after the lock
  MutexLock lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  const std::shared_ptr<Hook> hook = found->second;
  const int slot = point_slot(hook->spec().point);
  std::vector<std::shared_ptr<Hook>> hooks = hooks_of(slot);
  std::erase(hooks, hook);
  old = publish(slot, std::move(hooks));
  by_id_.erase(found);
  return hook;
}

std::vector<std::shared_ptr<Hook>> Registry::take_all(int slot) {
  std::shared_ptr<const HookList> old;  // freed after the lock
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<Hook>> hooks = hooks_of(slot);
  if (hooks.empty()) return hooks;
  old = publish(slot, {});
  for (const auto& hook : hooks) by_id_.erase(hook->id());
  return hooks;
}

std::shared_ptr<const HookList> Registry::publish(int slot, std::vector<std::shared_ptr<Hook>> hooks) {
  Slot& at = slots_[static_cast<size_t>(slot)];
  const auto count = static_cast<uint32_t>(hooks.size());
  std::shared_ptr<const HookList> list;
  if (count != 0) list = std::make_shared<const HookList>(HookList{std::move(hooks), in_use_});
  MutexLock lock(at.mutex);
  at.list.swap(list);
  at.count.store(count, std::memory_order_release);
  return list;
}

std::vector<std::shared_ptr<Hook>> Registry::hooks_of(int slot) const {
  const std::shared_ptr<const HookList> list = snapshot(slot);
  return list == nullptr ? std::vector<std::shared_ptr<Hook>>() : list->hooks;
}

}  // namespace lh
