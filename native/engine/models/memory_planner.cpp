#include "engine/models/memory_planner.h"

#include <algorithm>
#include <memory>

#include "base/text/names.h"
#include "engine/models/hook_scope.h"

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
  const auto complete = [&](const DispatchResult& so_far) {
    const Json& changes = so_far.changes;
    if (changes.contains("conversation_bytes")) plan.conversation_bytes = changes["conversation_bytes"].get<uint64_t>();
    if (!changes.contains("plan")) return true;
    plan.models = changes["plan"].get<std::vector<std::string>>();
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
  const Outcome asked = dispatcher_.fire(
      LH_HOOK_ON_VRAM_PRESSURE, scope,
      [&](std::string& out) {
        const uint64_t total = room.budget ? std::min(*room.budget, room.total) : room.total;
        const uint64_t left = std::min(room.left(), total);
        append_members(out, {{"device", room.device},
                             {"vram_used_mb", whole_mib(total - left)},
                             {"vram_total_mb", whole_mib(total)},
                             {"pressure_level", pressure.level},
                             {"needed_bytes", pressure.shortage.needed},
                             {"free_bytes", pressure.shortage.left},
                             {"budget_bytes", room.budget ? Json(*room.budget) : Json(nullptr)},
                             {"cause", pressure.cause},
                             {"candidates", to_json(pressure.candidates, pressure.held, room.device)},
                             {"conversation_bytes", pressure.plan.conversation_bytes},
                             {"plan", pressure.plan.models}});
      },
      complete);
  const auto kept = [&](const std::string& name) { return std::ranges::find(plan.models, name) == plan.models.end(); };
  const bool fewer = std::ranges::any_of(pressure.plan.models, kept);
  if (fewer || plan.conversation_bytes < pressure.plan.conversation_bytes) {
    const HookRecord* const by = named_by(asked->decision, fewer ? "plan" : "conversation_bytes");
    if (by != nullptr) pressure.kept_by = by->name;
  }
  if (!bad_plan.ok() || !pressure.kept_by.empty() || asked->decision.action == Action::kCancelled) {
    refused = asked->decision;
  }
  if (asked->decision.action == Action::kCancelled) {
    if (!asked->decision.decided_by) return Status(Code::kCancelled, "cancelled while memory was made free");
    return Status(Code::kHookCancelled, "the hook " + asked->decision.decided_by->name +
                                            " would have nothing unloaded: " + *asked->decision.reason);
  }
  if (!bad_plan.ok()) return bad_plan;
  // The models first, whose conversations go with them: those that are planned beside models are of others.
  for (const std::string& name : plan.models) pressure.models_went |= unloader_.evict(name, "memory pressure");
  if (plan.conversation_bytes > 0) unloader_.drop_conversations(plan.conversation_bytes);
  return {};
}

}  // namespace lh
