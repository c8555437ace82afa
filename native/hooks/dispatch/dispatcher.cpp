#include "hooks/dispatch/dispatcher.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/system/log.h"
#include "base/text/printable.h"
#include "hooks/calls/call.h"
#include "hooks/dispatch/dispatch.h"

namespace lh {

namespace {

bool may_ask_any(const HookList& list, const Scope& scope, const KnownField* known) {
  return std::ranges::any_of(list.hooks, [&](const auto& entry) { return Dispatch::may_ask(entry, scope, known); });
}

}  // namespace

bool Dispatcher::may_ask(Point point, const Scope& scope) const {
  if (!has(point)) return false;
  const std::shared_ptr<const HookList> list = registry_.snapshot(point_slot(point));
  return list != nullptr && may_ask_any(*list, scope, nullptr);
}

Outcome Dispatcher::fire_hooks(Point point, const Scope& scope, ContextBuilder build,
                               const DispatchExtras& extras) const {
  const int slot = point_slot(point);
  const PointInfo& info = point_table()[static_cast<size_t>(slot)];
  // Held to the end: a registry is not destroyed while its lists are in use.
  const std::shared_ptr<const HookList> list = registry_.snapshot(slot);
  if (list == nullptr) return {};  // all were removed in the meantime
  if (!may_ask_any(*list, scope, extras.known)) return {};
  Outcome outcome(Dispatch(info, scope, registry_.next_seq(), build, extras).run(*list));
  for (const HookEntry& entry : list->hooks) {
    if (entry.hook->spent()) static_cast<void>(registry_.retire(entry.hook->id()));
  }
  if (outcome->decision.hooks.empty()) {  // all were removed, or none matched
    return outcome->changes.is_null() ? Outcome() : std::move(outcome);
  }
  trace_.tell(outcome->decision);
  report_failures(outcome->decision, scope);
  return outcome;
}

void Dispatcher::report_failures(const Decision& decision, const Scope& scope) const {
  for (const HookRecord& record : decision.hooks) {
    if (!record.failure && !record.late) continue;
    const std::string where = "hook:" + record.name + "@" + std::string(decision.name());
    if (record.late) {
      const std::string message = "hook \"" + record.name + "\" at " + std::string(decision.name()) +
                                  " passed its deadline: it took " + std::to_string(record.duration_ns / 1'000'000) +
                                  " ms; its answer counts all the same";
      log_line(LogLevel::kWarn, message);
      if (decision.point != LH_HOOK_ON_ERROR) error(scope, code_name(Code::kHookTimeout), message, where, true);
    }
    if (!record.failure || decision.point == LH_HOOK_ON_ERROR) continue;
    if (gave_up_with_operation(*record.failure, scope.cancel)) continue;
    error(scope, code_name(record.failure->code), record.failure->message, where, true);
  }
}

void Dispatcher::error(const Scope& scope, std::string_view code, std::string_view message, std::string_view where,
                       bool recoverable) const {
  if (Call::inside(LH_HOOK_ON_ERROR)) return;
  ErrorStreak& streak = scope.errors == nullptr ? errors_ : *scope.errors;
  const int consecutive = streak.count.fetch_add(1, std::memory_order_relaxed) + 1;
  if (!has(LH_HOOK_ON_ERROR)) return;
  const auto build = [&](std::string& out) {
    out += "\"code\":";
    append_json_string(out, code);
    out += ",\"message\":";
    append_json_string(out, printable(std::string(message)));
    out += ",\"where\":";
    append_json_string(out, where);
    out += recoverable ? ",\"recoverable\":true" : ",\"recoverable\":false";
    out += ",\"iteration\":" + (scope.iteration < 0 ? "null" : std::to_string(scope.iteration));
    out += ",\"consecutive\":" + std::to_string(consecutive);
  };
  static_cast<void>(fire(LH_HOOK_ON_ERROR, scope, build));
}

void append_members(std::string& out, const Json& object) {
  if (object.empty()) return;
  const std::string json = dump_json(object);
  out.append(json, 1, json.size() - 2);
}

}  // namespace lh
