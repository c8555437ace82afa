#include "hooks/dispatch/decision.h"

#include <algorithm>

#include "base/system/time_us.h"
#include "hooks/points/point_table.h"

namespace lh {
namespace {

double microseconds_of(int64_t nanoseconds) { return microseconds(std::chrono::nanoseconds(nanoseconds)); }

Json to_json(const HookFailure& failure) {
  return {{"code", code_name(failure.code)}, {"message", failure.message}, {"cause_id", failure.cause_id}};
}

Json to_json(const HookRecord& record) {
  Json json = {{"id", record.id},
               {"name", record.name},
               {"outcome", outcome_name(record.outcome)},
               {"fields", record.fields},
               {"clock_us", clock_us(record.began)},
               {"duration_us", microseconds_of(record.duration_ns)}};
  if (record.late) json["late"] = true;
  if (record.failure) json["error"] = to_json(*record.failure);
  return json;
}

}  // namespace

std::string_view Decision::name() const {
  const int slot = point_slot(point);
  return slot < 0 ? std::string_view() : point_table()[static_cast<size_t>(slot)].name;
}

const char* action_name(Action action) {
  switch (action) {
    case Action::kProceed: return "proceed";
    case Action::kModified: return "modified";
    case Action::kCancelled: return "cancelled";
  }
  return "";
}

const char* outcome_name(HookOutcome outcome) {
  switch (outcome) {
    case HookOutcome::kProceed: return "proceed";
    case HookOutcome::kModified: return "modified";
    case HookOutcome::kCancelled: return "cancelled";
    case HookOutcome::kFailed: return "failed";
    case HookOutcome::kObserved: return "observed";
    case HookOutcome::kAbandoned: return "abandoned";
  }
  return "";
}

const HookRecord* named_by(const Decision& decision, std::string_view field) {
  const auto named = [field](const HookRecord& record) {
    return record.outcome == HookOutcome::kModified && std::ranges::find(record.fields, field) != record.fields.end();
  };
  const auto last = std::find_if(decision.hooks.rbegin(), decision.hooks.rend(), named);
  return last == decision.hooks.rend() ? nullptr : &*last;
}

Json to_json(const Decision& decision) {
  Json decided_by;
  if (decision.decided_by) decided_by = {{"id", decision.decided_by->id}, {"name", decision.decided_by->name}};
  Json hooks = Json::array();
  for (const HookRecord& record : decision.hooks) hooks.push_back(to_json(record));
  return {{"type", "decision"},
          {"seq", decision.seq},
          {"point", decision.point},
          {"name", decision.name()},
          {"run_id", null_if_empty(decision.run_id)},
          {"session_id", null_if_empty(decision.session_id)},
          {"span", decision.span == 0 ? Json() : Json(decision.span)},
          {"tool_call_id", null_if_empty(decision.tool_call_id)},
          {"time_us", decision.time_us},
          {"clock_us", clock_us(decision.began)},
          {"action", action_name(decision.action)},
          {"decided_by", std::move(decided_by)},
          {"reason", decision.reason ? Json(*decision.reason) : Json()},
          {"status", decision.status ? Json(code_name(*decision.status)) : Json()},
          {"hooks", std::move(hooks)},
          {"duration_us", microseconds_of(decision.duration_ns)}};
}

}  // namespace lh
