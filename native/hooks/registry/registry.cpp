#include "hooks/registry/registry.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/text/names.h"
#include "base/text/utf8.h"
#include "hooks/calls/call.h"
#include "hooks/points/flag_table.h"

namespace lh {
namespace {

Status invalid(std::string message) { return {Code::kInvalidArgument, std::move(message)}; }

Status no_hook(uint64_t id) { return {Code::kNotFound, "no hook has the id " + std::to_string(id)}; }

constexpr std::string_view kLevels[] = {"the engine", "a session", "a run", "a generation"};

// "the engine, a session or a run"
std::string levels_of(const PointInfo& point) {
  std::string names;
  for (size_t bit = std::size(kLevels); bit-- > 0;) {
    if ((point.scopes >> bit & 1U) == 0) continue;
    const std::string_view joint = names.empty() ? "" : names.find(" or ") == std::string::npos ? " or " : ", ";
    names = std::string(kLevels[bit]).append(joint) + names;
  }
  return names;
}

// If the point never fires for such an owner, a guard there would protect nothing.
Status check_level(const HookSpec& spec, HookLevel level) {
  const PointInfo& point = point_table()[static_cast<size_t>(point_slot(spec.point))];
  const auto bit = static_cast<unsigned>(level);
  if ((point.scopes >> bit & 1U) != 0) return {};
  const std::string named = spec.name.empty() ? "a hook" : "the hook \"" + spec.name + "\"";
  const std::string where = spec.location.empty() ? "" : ", registered at " + spec.location + ",";
  return {Code::kPointNotFired, named + " at " + shown_point(point.name) + where +
                                    " would never be called: the point " + "does not fire for " +
                                    std::string(kLevels[bit]) + "; add it to " + levels_of(point)};
}

Status check(const HookSpec& spec) {
  const int slot = point_slot(spec.point);
  if (slot < 0) return unknown_point(spec.point);
  const PointInfo& point = point_table()[static_cast<size_t>(slot)];
  const auto has = [&](uint32_t flags) { return (spec.flags & flags) == flags; };
  if (spec.callback == nullptr) return invalid("hook: a function is needed");
  if ((spec.flags & ~kKnownFlags) != 0) {
    return invalid("flags: unknown bits " + std::to_string(spec.flags & ~kKnownFlags));
  }
  if (spec.deadline_ms < 0) return invalid(shown_field("deadline_ms") + ": is negative");
  if (has(LH_HOOK_GUARD) && point.kind != Kind::kPre) {
    return invalid("flags: a guard needs a pre point, but " + shown_point(point.name) + " is not one");
  }
  if (has(LH_HOOK_GUARD | LH_HOOK_OBSERVE))
    return invalid("flags: a hook cannot be both guard and observer: remove one of the two");
  if (has(LH_HOOK_FAIL_CLOSED | LH_HOOK_OBSERVE)) {
    return invalid("flags: an observer cannot fail closed, because its answer is ignored");
  }
  if (has(LH_HOOK_GUARD | LH_HOOK_ORIGINAL_CONTEXT)) {
    return invalid("flags: a guard cannot take the original context, because it checks the final one");
  }
  if (has(LH_HOOK_PARALLEL) && point.collected.empty()) {
    return invalid("flags: a parallel hook needs a point that collects parts; " + shown_point(point.name) +
                   " collects none");
  }
  if (has(LH_HOOK_PARALLEL) && (spec.flags & (LH_HOOK_GUARD | LH_HOOK_FAIL_CLOSED | LH_HOOK_OBSERVE)) != 0) {
    return invalid("flags: a parallel hook returns parts, so it cannot be a guard or an observer or fail closed");
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

constexpr std::string_view kLevelNames[] = {"engine", "session", "run", "generation"};

Json describe(const Hook& hook, const PointInfo& point) {
  const HookSpec& spec = hook.spec();
  Json json = counts_of(hook);
  json["point_name"] = point.name;
  json["level"] = kLevelNames[static_cast<size_t>(spec.level)];
  json["priority"] = spec.priority;
  json["deadline_ms"] = spec.deadline_ms;
  json["flags"] = flag_names(spec.flags);
  json["fields"] = spec.fields.to_json();
  return json;
}

int slot_count() { return static_cast<int>(point_table().size()); }

}  // namespace

Json counts_of(const Hook& hook) {
  const HookSpec& spec = hook.spec();
  const HookCounters& counters = hook.counters();
  const auto when = spec.when_json.empty() ? Result<Json>(Json()) : parse_json(spec.when_json, "when");
  return {{"id", hook.id()},
          {"name", spec.name},
          {"point", spec.point},
          {"location", null_if_empty(spec.location)},
          {"when", when.ok() ? *when : Json()},
          {"session_id", null_if_empty(spec.session_id)},
          {"fired", counters.fired.load(std::memory_order_relaxed)},
          {"matched", counters.matched.load(std::memory_order_relaxed)},
          {"calls", counters.calls.load(std::memory_order_relaxed)},
          {"modifications", counters.modifications.load(std::memory_order_relaxed)},
          {"cancels", counters.cancels.load(std::memory_order_relaxed)},
          {"failures", counters.failures.load(std::memory_order_relaxed)},
          {"total_us", static_cast<double>(counters.total_ns.load(std::memory_order_relaxed)) / 1000.0}};
}

Status unknown_point(Point point) {
  return {Code::kUnknownHookPoint, "no hook point has the number " + std::to_string(point)};
}

// Notified when the last holder of `in_use_` is gone.
struct Registry::Idle {
  Mutex mutex;
  std::condition_variable condition;
  bool idle LH_GUARDED_BY(mutex) = false;
};

Registry::Registry() : slots_(std::make_unique<Slot[]>(point_table().size())), idle_(std::make_shared<Idle>()) {
  in_use_ = std::shared_ptr<void>(nullptr, [idle = idle_](void*) {
    MutexLock lock(idle->mutex);
    idle->idle = true;
    idle->condition.notify_all();
  });
}

Registry::~Registry() { close(); }

Result<uint64_t> Registry::add(HookSpec spec) {
  if (Status status = check(spec); !status.ok()) return status;
  spec.name = to_utf8(spec.name);
  spec.location = to_utf8(spec.location);
  const int slot = point_slot(spec.point);
  std::shared_ptr<const HookList> old;  // freed after the lock
  MutexLock lock(mutex_);
  if (closed_ || sealed_) return Status(Code::kClosed, "the registry is closed");
  if (spec.owner != 0) {
    const auto owner = owners_.find(spec.owner);
    if (owner == owners_.end()) return Status(Code::kClosed, "the session or run that the hook is for is over");
    if (Status status = check_level(spec, owner->second.level); !status.ok()) return status;
    spec.level = owner->second.level;
    spec.session_id = owner->second.session_id;
  }
  const HookOwner owner = spec.owner;
  auto hook = std::make_shared<Hook>(next_id_, std::move(spec), ended_);
  by_id_.emplace(hook->id(), hook);
  old = insert(slot, {std::move(hook), owner});
  return next_id_++;
}

bool Registry::has(Point point, HookOwner owner) const {
  if (!has(point)) return false;
  const std::shared_ptr<const HookList> list = snapshot(point_slot(point));
  return list != nullptr && std::ranges::any_of(list->hooks, [owner](const auto& one) { return one.owner == owner; });
}

HookOwner Registry::open_owner(HookLevel level, std::string session_id) {
  const MutexLock lock(mutex_);
  owners_.emplace(++last_owner_, Owner{level, std::move(session_id)});
  return last_owner_;
}

void Registry::close_owner(HookOwner owner) {
  {
    const MutexLock lock(mutex_);
    if (owners_.erase(owner) == 0) return;
  }
  static_cast<void>(clear(-1, owner));
}

void Registry::share(HookOwner from, HookOwner to) {
  std::vector<std::shared_ptr<const HookList>> old;  // freed after the lock
  const MutexLock lock(mutex_);
  if (!owners_.contains(to)) return;
  for (int slot = 0; slot < slot_count(); ++slot) {
    for (const HookEntry& entry : hooks_of(slot)) {
      if (entry.owner == from) old.push_back(insert(slot, {entry.hook, to}));
    }
  }
}

void Registry::tell_ended() const {
  for (int slot = 0; slot < slot_count(); ++slot) {
    for (const HookEntry& entry : hooks_of(slot)) entry.hook->tell_end();
  }
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

Status Registry::clear(Point point, HookOwner owner) {
  const int only = point_slot(point);
  if (point != -1 && only < 0) return unknown_point(point);
  for (int slot = 0; slot < slot_count(); ++slot) {
    if (point != -1 && slot != only) continue;
    for (const auto& hook : take_all(slot, [owner](const auto& entry) { return entry.owner == owner; })) hook->retire();
  }
  return {};
}

void Registry::retire_all() {
  seal();
  for (int slot = 0; slot < slot_count(); ++slot) {
    for (const auto& hook : take_all(slot, [](const auto&) { return true; })) hook->retire();
  }
}

Json Registry::list(HookOwner owner) const {
  Json all = Json::array();
  for (int slot = 0; slot < slot_count(); ++slot) {
    const PointInfo& point = point_table()[static_cast<size_t>(slot)];
    for (const HookEntry& entry : hooks_of(slot)) {
      if (entry.owner == owner) all.push_back(describe(*entry.hook, point));
    }
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
    for (const auto& hook : take_all(slot, [](const auto&) { return true; })) {
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
  std::vector<HookEntry> hooks = hooks_of(slot);
  std::erase_if(hooks, [&hook](const auto& entry) { return entry.hook == hook; });
  old = publish(slot, std::move(hooks));
  by_id_.erase(found);
  return hook;
}

std::vector<std::shared_ptr<Hook>> Registry::take_all(int slot, FunctionRef<bool(const HookEntry&)> goes) {
  std::shared_ptr<const HookList> old;  // freed after the lock
  MutexLock lock(mutex_);
  std::vector<HookEntry> stay = hooks_of(slot);
  std::vector<HookEntry> gone;
  std::erase_if(stay, [&](const HookEntry& entry) {
    if (goes(entry)) gone.push_back(entry);
    return goes(entry);
  });
  if (gone.empty()) return {};
  std::vector<std::shared_ptr<Hook>> hooks;
  for (const HookEntry& entry : gone) {
    const auto same = [&entry](const HookEntry& other) { return other.hook == entry.hook; };
    if (std::ranges::none_of(stay, same) && by_id_.erase(entry.hook->id()) != 0) hooks.push_back(entry.hook);
  }
  old = publish(slot, std::move(stay));
  return hooks;
}

std::shared_ptr<const HookList> Registry::insert(int slot, HookEntry entry) {
  std::vector<HookEntry> hooks = hooks_of(slot);
  const auto before = [](const auto& a, const auto& b) { return a.hook->place() < b.hook->place(); };
  hooks.insert(std::ranges::upper_bound(hooks, entry, before), entry);
  return publish(slot, std::move(hooks));
}

std::shared_ptr<const HookList> Registry::publish(int slot, std::vector<HookEntry> hooks) {
  Slot& at = slots_[static_cast<size_t>(slot)];
  const auto count = static_cast<uint32_t>(hooks.size());
  std::shared_ptr<const HookList> list;
  if (count != 0) list = std::make_shared<const HookList>(HookList{std::move(hooks), in_use_});
  MutexLock lock(at.mutex);
  at.list.swap(list);
  at.count.store(count, std::memory_order_release);
  return list;
}

std::vector<HookEntry> Registry::hooks_of(int slot) const {
  const std::shared_ptr<const HookList> list = snapshot(slot);
  return list == nullptr ? std::vector<HookEntry>() : list->hooks;
}

}  // namespace lh
