// Holds a name and memory for a load under way, until the load has a model for them or has failed.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/models/memory_ledger.h"
#include "engine/models/model_table.h"
#include "engine/models/shared_load.h"
#include "engine/tasks/requests.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {

class LoadReservation {
 public:
  // Reserves for a model that is loading. `shared_load`: the load that callers asked for; null: other work needs the
  // model.
  LoadReservation(ModelTable& table, MemoryLedger& ledger, std::string id, std::shared_ptr<SharedLoad> shared_load)
      : table_(table), ledger_(ledger), id_(std::move(id)), shared_(std::move(shared_load)) {}
  // Frees the name unless the load has succeeded or another caller continues it; a cold model stays cold.
  ~LoadReservation();
  LoadReservation(const LoadReservation&) = delete;
  LoadReservation& operator=(const LoadReservation&) = delete;

  // The load has succeeded. `uses`: of the model, by the work that needed the load.
  void fill(const std::shared_ptr<LoadedModel>& model, const LoadRequest& request, int uses);
  // The model is loaded when it is used.
  void declare(const LoadRequest& request, Json description);
  // Gives the reason why the load has failed to those that wait for it.
  void fail(const Status& status, const Refusal& refused);

  MemoryLedger::Reserved memory;

 private:
  void succeed(const ModelEntry& entry) LH_REQUIRES(table_mutex);
  void leave() LH_REQUIRES(table_mutex);

  ModelTable& table_;
  MemoryLedger& ledger_;
  const std::string id_;
  const std::shared_ptr<SharedLoad> shared_;
  bool filled_ = false;
};
static_assert(!std::is_copy_constructible_v<LoadReservation>);

}  // namespace lh
