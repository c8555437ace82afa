// Makes room for a footprint: asks the hooks at ON_VRAM_PRESSURE, then evicts idle models and drops conversations.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "base/function_ref.h"
#include "engine/memory/memory_plan.h"
#include "engine/models/memory_ledger.h"
#include "engine/models/model_table.h"
#include "engine/models/model_unloader.h"
#include "generation/work.h"
#include "hooks/dispatch/decision_log.h"
#include "hooks/dispatch/dispatcher.h"
#include "model/generator.h"

namespace lh {

// A shortage, and the plan to relieve it.
struct MemoryPressure {
  MemoryShortage shortage;
  const char* level;
  const char* cause;
  std::vector<IdleModel> candidates;
  FootprintSum held;  // by all, including what the shortage is about
  MemoryPlan plan;
  bool models_went = false;
  std::string kept_by{};  // the hook that removed models from the plan; empty: none did
};

class MemoryPlanner {
 public:
  MemoryPlanner(const Dispatcher& dispatcher, const ModelTable& table, MemoryLedger& ledger, ModelUnloader& unloader)
      : dispatcher_(dispatcher), table_(table), ledger_(ledger), unloader_(unloader) {}
  MemoryPlanner(const MemoryPlanner&) = delete;
  MemoryPlanner& operator=(const MemoryPlanner&) = delete;

  // Reserves memory for `what` of the model `id`; evicts idle models for it if there is too little. Errors:
  // kInsufficientMemory, kInvalidArgument (the plan of a hook), kCancelled, kClosed.
  [[nodiscard]] Status reserve(const std::string& id, const std::string& what, const MemoryFootprint& need,
                               MemoryLedger::Reserved& reserved, const Work& work, Refusal& refused);
  // Reserves memory and makes what takes its place: one of the two is counted at any moment. Errors: those of both.
  [[nodiscard]] Status make_in_room(const std::string& id, const std::string& what, const MemoryFootprint& need,
                                    FunctionRef<Result<Publish>()> make, const Work& work, Refusal& refused);
  // Asks the hooks, and carries out the plan that they leave. Errors: kHookCancelled, by a hook that wants nothing
  // evicted; kInvalidArgument, for a plan with a model that cannot be evicted; kCancelled.
  [[nodiscard]] Status relieve(MemoryPressure& pressure, const Scope& scope, Refusal& refused);

 private:
  const Dispatcher& dispatcher_;
  const ModelTable& table_;
  MemoryLedger& ledger_;
  ModelUnloader& unloader_;
};
static_assert(!std::is_copy_constructible_v<MemoryPlanner>);

}  // namespace lh
