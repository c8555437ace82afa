#include "hooks/dispatch/dispatcher.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/system/log.h"
#include "base/text/names.h"
#include "base/text/printable.h"
#include "hooks/calls/call.h"
#include "hooks/dispatch/dispatch.h"
#include "hooks/dispatch/points_error.h"

namespace lh {

namespace {

bool may_ask_any(const HookList& list, const Scope& scope, const KnownField* known) {
  return std::ranges::any_of(list.hooks, [&](const auto& entry) { return Dispatch::may_ask(entry, scope, known); });
}

std::string late_words(const HookRecord& record, const Decision& decision) {
  return "hook \"" + record.name + "\" at " + shown_point(decision.name()) + " passed its deadline: it took " +
         std::to_string(record.duration_ns / 1'000'000) + " ms; its answer counts all the same";
}

}  // namespace

bool Dispatcher::may_ask(Point point, const Scope& scope) const {
  if (!has(point)) return false;
  const std::shared_ptr<const HookList> list = registry_.snapshot(point_slot(point));
  if (list == nullptr) return false;
  if (may_ask_any(*list, scope, nullptr)) return true;
  for (const HookEntry& entry : list->hooks) Dispatch::count_fired(entry, scope);  // the caller does not fire
  return false;
}

Outcome Dispatcher::fire_hooks(Point point, const Scope& scope, ContextBuilder build,
                               const DispatchExtras& extras) const {
  const int slot = point_slot(point);
  const PointInfo& info = point_table()[static_cast<size_t>(slot)];
  // Held to the end: a registry is not destroyed while its lists are in use.
  const std::shared_ptr<const HookList> list = registry_.snapshot(slot);
  if (list == nullptr) return {};  // all were removed in the meantime
  if (!may_ask_any(*list, scope, extras.known)) {
    for (const HookEntry& entry : list->hooks) Dispatch::count_fired(entry, scope);
    return {};
  }
  Outcome outcome(Dispatch(info, scope, registry_.next_seq(), build, extras).run(*list));
  const bool asked = !outcome->decision.hooks.empty();
  if (asked) trace_.tell(outcome->decision);
  for (const HookEntry& entry : list->hooks) {
    if (entry.hook->spent()) static_cast<void>(registry_.retire(entry.hook->id()));
  }
  if (!asked) {  // all were removed, or none matched
    return outcome->changes.is_null() ? Outcome() : std::move(outcome);
  }
  report_failures(*list, outcome->decision, scope);
  return outcome;
}

void Dispatcher::report_failures(const HookList& list, const Decision& decision, const Scope& scope) const {
  for (const HookRecord& record : decision.hooks) {
    if (!record.failed() && !record.late) continue;
    const std::string where = "hook:" + record.name + "@" + shown_point(decision.name());
    bool heard = false;
    if (record.late) {
      const std::string message = late_words(record, decision);
      log_line(LogLevel::kWarn, message);
      if (decision.point != LH_HOOK_ON_ERROR) heard = error(scope, code_name(Code::kHookTimeout), message, where, true);
    }
    if (record.failed() && decision.point != LH_HOOK_ON_ERROR) {
      heard = error(scope, code_name(record.failure->code), record.failure->message, where, true);
    }
    if (heard || warnings_.hooks_ignored()) continue;
    const auto of = std::ranges::find(list.hooks, record.id, [](const HookEntry& entry) { return entry.hook->id(); });
    if (of != list.hooks.end()) warn(*of->hook, record, decision);
  }
}

void Dispatcher::warn(const Hook& hook, const HookRecord& record, const Decision& decision) const {
  const HookSpec& spec = hook.spec();
  const bool late = !record.failed();
  const std::string place = shown_point(decision.name()) + "|" + spec.location + "|" + spec.name;
  // Hooks of a session, a run or a generation are registered again and again, but are one hook to their author.
  const std::string of_one = spec.level == HookLevel::kEngine ? "|" + std::to_string(hook.id()) : "";
  const std::string kind = late ? "|late" : "";  // a late answer counts, and says nothing of a failure
  const std::string message = late ? late_words(record, decision) : record.failure->message;
  const std::string_view effect = late                                        ? "counted"
                                  : record.outcome == HookOutcome::kCancelled ? "cancelled"
                                  : record.outcome == HookOutcome::kModified  ? "refused"
                                                                              : "skipped";
  const Json warning = {{"code", code_name(late ? Code::kHookTimeout : record.failure->code)},
                        {"message", message},
                        {"hook_id", hook.id()},
                        {"hook", spec.name},
                        {"point", decision.point},
                        {"location", null_if_empty(spec.location)},
                        {"effect", effect},
                        {"cause_id", late ? 0 : record.failure->cause_id}};
  const std::string at = spec.location.empty() ? "" : " (registered at " + spec.location + ")";
  const std::string end = effect == "cancelled" ? "it cancelled"
                          : late                ? "it goes on"
                                                : "the engine went on without it";
  warnings_.tell(place + of_one + kind, warning,
                 message + at + "; " + end +
                     ". Later failures of this hook are counted only (lh_hook_list); a hook at "
                     "ON_ERROR is told of each.");
}

bool Dispatcher::error(const Scope& scope, std::string_view code, std::string_view message, std::string_view where,
                       bool recoverable) const {
  if (Call::inside(LH_HOOK_ON_ERROR)) return false;
  ErrorStreak& streak = scope.errors == nullptr ? errors_ : *scope.errors;
  const int consecutive = streak.count.fetch_add(1, std::memory_order_relaxed) + 1;
  if (!has(LH_HOOK_ON_ERROR)) return false;
  const auto build = [&](std::string& out, const FieldSet& wanted) {
    points::OnError::Context{.code = code,
                             .message = printable(std::string(message)),
                             .where = where,
                             .recoverable = recoverable,
                             .iteration = scope.iteration,
                             .consecutive = consecutive}
        .append(context::Members(out, wanted));
  };
  const Outcome outcome = fire(points::OnError::kPoint, scope, build);
  return std::ranges::any_of(outcome->decision.hooks, [](const HookRecord& record) { return !record.failure; });
}

void Dispatcher::error_or_warning(const Scope& scope, std::string_view code, std::string_view message,
                                  std::string_view where, bool recoverable) const {
  log_line(LogLevel::kWarn, std::string(code) + ": " + std::string(message));
  if (error(scope, code, message, where, recoverable)) return;
  const Json warning = {{"code", code}, {"message", message}};
  warnings_.tell(std::string(where) + "|" + std::string(message), warning,
                 std::string(code) + ": " + std::string(message));
}

void append_members(std::string& out, const Json& object) {
  if (object.empty()) return;
  const std::string json = dump_json(object);
  separate_member(out);
  out.append(json, 1, json.size() - 2);
}

}  // namespace lh
