#include "engine/models/memory_planner.h"

#include <algorithm>
#include <memory>

#include "base/text/names.h"
#include "engine/models/hook_scope.h"
#include "hooks/dispatch/fire.h"
#include "hooks/dispatch/points_memory.h"

namespace lh {
namespace {

uint64_t whole_mib(uint64_t bytes) { return bytes >> 20; }

}  // namespace

Status MemoryPlanner::reserve(const std::string& id, const std::string& what, const MemoryFootprint& need,
                              MemoryLedger::Reserved& reserved, const Work& work, Refusal& refused) {
  MemoryPressure pressure{{}, "critical", "load", {}, {}, {}};
  {
    const TableLock lock(table_);
    const auto missing = ledger_.reserve(need, reserved);
    if (!missing) return {};
    pressure.shortage = *missing;
    if (missing->weights_fit) pressure.cause = "context";
    pressure.candidates = ledger_.idle_models();
    pressure.held = ledger_.held();
    const MemoryUse more = pressure.held.beyond(need);
    pressure.held.add(need);
    pressure.plan = plan_for(more, ledger_.rooms(), pressure.candidates, pressure.held, Enough::kOrNothing);
  }
  const Status relieved = relieve(pressure, scope_of_work(id, work), refused);
  if (work.cancel.cancelled()) return cancelled_load(id, work.cancel);
  if (relieved.code() == Code::kInvalidArgument) return relieved;
  const TableLock lock(table_);
  const auto missing = ledger_.reserve(need, reserved);
  if (!missing) {
    refused.reset();
    return {};
  }
  const DeviceRoom& room = missing->room;
  const std::string of_budget = room.budget ? " of a budget of " + mib_text(*room.budget) : "";
  const std::string shortened = pressure.kept_by.empty()
                                    ? ""
                                    : "; the hook " + pressure.kept_by + " at " + shown_point("ON_VRAM_PRESSURE") +
                                          " left less to be unloaded than was planned";
  const std::string why = relieved.ok() ? shortened : "; " + relieved.message();
  return Status(Code::kInsufficientMemory, what + " needs " + mib_text(missing->needed) + " on " + room.device +
                                               ", and " + mib_text(missing->left) + " are free" + of_budget + "; " +
                                               ledger_.holders(room.device) + why);
}

Status MemoryPlanner::make_in_room(const std::string& id, const std::string& what, const MemoryFootprint& need,
                                   FunctionRef<Result<Publish>()> make, const Work& work, Refusal& refused) {
  MemoryLedger::Reserved reserved;
  const std::shared_ptr<void> kept(nullptr, [&](void*) {
    const TableLock lock(table_);
    ledger_.release(reserved);
  });
  if (Status status = reserve(id, what, need, reserved, work, refused); !status.ok()) return status;
  const auto made = make();  // freed behind the lock if it is not published
  if (!made.ok()) return made.status();
  const TableLock lock(table_);
  ledger_.release(reserved);
  return (*made)();
}

Status MemoryPlanner::relieve(MemoryPressure& pressure, const Scope& scope, Refusal& refused) {
  const DeviceRoom& room = pressure.shortage.room;
  MemoryPlan plan = pressure.plan;
  Status bad_plan;
  const auto after_each = [&](DispatchResult& so_far) {
    const points::OnVramPressure::Changes changes(so_far);
    if (const auto bytes = changes.conversation_bytes()) plan.conversation_bytes = bytes->get<uint64_t>();
    const auto models = changes.plan();
    if (!models) return true;
    plan.models = models->get<std::vector<std::string>>();
    bad_plan = {};
    for (const std::string& name : plan.models) {
      const auto found = std::ranges::find(pressure.candidates, name, &IdleModel::model_id);
      if (found != pressure.candidates.end() && !found->pinned) continue;
      bad_plan =
          Status(Code::kInvalidArgument, "the plan of a hook at " + shown_point("ON_VRAM_PRESSURE") + " names \"" +
                                             name + "\", which is not among the models that can be given up");
    }
    return true;
  };
  const Completion complete(after_each);
  const auto asked = fire<points::OnVramPressure>(
      dispatcher_, scope,
      [&](const auto& context) {
        const uint64_t total = room.budget ? std::min(*room.budget, room.total) : room.total;
        const uint64_t left = std::min(room.left(), total);
        context({.device = room.device,
                 .vram_used_mb = whole_mib(total - left),
                 .vram_total_mb = whole_mib(total),
                 .pressure_level = pressure.level,
                 .needed_bytes = pressure.shortage.needed,
                 .free_bytes = pressure.shortage.left,
                 .budget_bytes = room.budget,
                 .cause = pressure.cause,
                 .candidates = to_json(pressure.candidates, pressure.held, room.device),
                 .conversation_bytes = pressure.plan.conversation_bytes,
                 .plan = Json(pressure.plan.models)});
      },
      {.complete = &complete});
  const auto kept = [&](const std::string& name) { return std::ranges::find(plan.models, name) == plan.models.end(); };
  const bool fewer = std::ranges::any_of(pressure.plan.models, kept);
  if (fewer || plan.conversation_bytes < pressure.plan.conversation_bytes) {
    const auto changes = asked.changes();
    const auto by = fewer ? changes.plan() : changes.conversation_bytes();
    if (by) pressure.kept_by = by.by();
  }
  if (!bad_plan.ok() || !pressure.kept_by.empty() || asked.cancelled()) refused = asked.decision();
  if (const auto veto = asked.veto()) {
    return Status(Code::kHookCancelled, "the hook " + veto->by + " would have nothing unloaded: " + veto->reason);
  }
  if (asked.cancelled()) return Status(Code::kCancelled, "cancelled while memory was made free");
  if (!bad_plan.ok()) return bad_plan;
  // The models first, whose conversations go with them: those that are planned beside models are of others.
  for (const std::string& name : plan.models) pressure.models_went |= unloader_.evict(name, "memory pressure");
  if (plan.conversation_bytes > 0) unloader_.drop_conversations(plan.conversation_bytes);
  return {};
}

}  // namespace lh
