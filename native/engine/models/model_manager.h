// The models of one engine by name: loading, use, unloading, what they take of memory, and the hooks around all that.
// Must not: hold its lock while a hook runs or a file is read.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/threads/cancel.h"
#include "base/threads/mutex.h"
#include "engine/models/memory_forecast.h"
#include "engine/models/memory_ledger.h"
#include "engine/models/memory_plan.h"
#include "engine/models/memory_planner.h"
#include "engine/models/memory_watch.h"
#include "engine/models/model_table.h"
#include "engine/models/model_unloader.h"
#include "engine/models/shared_load.h"
#include "engine/tasks/requests.h"
#include "engine/tasks/task.h"
#include "generation/model_source.h"
#include "generation/work.h"
#include "hooks/calls/call.h"
#include "hooks/calls/operation.h"
#include "hooks/dispatch/dispatcher.h"
#include "llama/base/weights_table.h"
#include "model/generator.h"
#include "model/memory_footprint.h"

namespace lh {

class ModelManager final : public ModelSource {
 public:
  using Budgets = MemoryLedger::Budgets;
  struct Limits {
    bool offload = true;      // whether models may be put on a GPU
    Budgets budgets;          // that models may take; of a device that is not there: what it has
    uint64_t low_memory = 0;  // bytes: when a device has less left, what is idle is given up; 0: nobody looks
  };
  // Errors: kInvalidArgument, for a device that is not here.
  [[nodiscard]] static Result<Budgets> budgets_of(const EngineOptions& options) {
    return MemoryLedger::budgets_of(options);
  }
  // `closing`: bounds the wait for hooks that nothing cancels.
  ModelManager(const Dispatcher& dispatcher, CancelFlag& closing, const Limits& limits);
  ModelManager(const ModelManager&) = delete;
  ModelManager& operator=(const ModelManager&) = delete;

  // One caller's part in a load.
  struct LoadTicket {
    LoadTicket(std::string name, LoadRequest how) : id(std::move(name)), request(std::move(how)) {}

    const std::string id;
    const LoadRequest request;
    const int level = Call::level_here();  // of the work that is about to run
    std::shared_ptr<SharedLoad> shared_load;
    bool loads = false;  // true: this caller does the load; false: it waits for the caller that does
  };
  // Reserves the name for a load that is about to run, or joins a running load of the same path and options. Errors:
  // kModelInUse.
  [[nodiscard]] Status reserve(LoadTicket& ticket);
  void drop_reservation(const LoadTicket& ticket);
  // On the work's thread. If every caller of a load has cancelled before it returns, no model stays behind.
  [[nodiscard]] TaskEnd load(LoadTicket& ticket, const Work& work);
  // What a load would take, and whether there is room for it as things are. Nothing is loaded.
  [[nodiscard]] TaskEnd estimate(const LoadRequest& request);
  // Errors: kReentrant inside a hook that holds up work that uses `thing`: `what` would wait for that.
  [[nodiscard]] static Status may_wait_for(const void* thing, const std::string& what) {
    return may_wait_for_users_of(thing, what);
  }
  // No new use from now on. Errors: kModelNotLoaded; kReentrant inside a hook that holds up a use of the model, or its
  // load.
  [[nodiscard]] Status begin_unload(const std::string& id) { return table_.begin_unload(id); }
  void cancel_unload(const std::string& id) { table_.cancel_unload(id); }
  // Waits for its load and for the last use, frees the model, fires ON_MODEL_UNLOAD. Gives the result of
  // lh_model_unload.
  Json finish_unload(const std::string& id, const std::string& reason) { return unloader_.unload(id, reason); }

  // A model in use with all that is known of it; holding it keeps it loaded. `id` empty: the only one.
  using Use = ModelTable::Use;
  [[nodiscard]] Result<Use> use(const std::string& id) { return table_.use(id); }
  // What work that is about to begin will use; bring_back() loads it if it is cold.
  using Wanted = ModelTable::Wanted;
  // Errors: kModelNotLoaded; kReentrant inside a hook that holds up the load that it would wait for.
  [[nodiscard]] Result<Wanted> want(const std::string& id) { return table_.want(id); }
  // For work, on its thread. Errors: kModelNotLoaded, kCancelled, and those of a load.
  [[nodiscard]] Result<Use> bring_back(const std::string& id, const Work& work, Refusal& refused);
  // Makes what texts are embedded with by this pooling, unless it is there. For work, on its thread; of several that
  // ask for one model one makes it. Errors: kInsufficientMemory, kInvalidArgument (the plan of a hook), kCancelled,
  // kClosed, kNoThread.
  [[nodiscard]] Status make_embeddings(const Use& model, PoolingType pooling, const Work& work, Refusal& refused);
  // Before such work begins. Errors: kReentrant inside a hook that holds up what it would wait for.
  [[nodiscard]] static Status may_wait_for_embeddings(const Use& model);
  // Before work fires its first hook, and after its last.
  static void enter_use(Operation& work, const LoadedModel& model);
  static void leave_use(Operation& work, const LoadedModel& model);
  [[nodiscard]] Result<ModelUse> acquire(const std::string& id, const Work& work, Refusal& refused) override;
  [[nodiscard]] Status known(const std::string& id) override { return table_.known(id); }
  // Of those that are loaded.
  [[nodiscard]] std::vector<std::string> ids() const { return table_.usable_ids(); }
  // With room asked for. For work, on its thread. Errors: those of Generator::load_adapter(), kInsufficientMemory,
  // kInvalidArgument (the plan of a hook), kCancelled, kClosed.
  [[nodiscard]] Status load_adapter(const ModelUse& model, const std::string& id, const std::string& path, double scale,
                                    const Work& work, Refusal& refused);
  // Of all models, with the model's id. One that was given up has its adapters again when it is loaded again.
  [[nodiscard]] std::vector<std::pair<std::string, AdapterInfo>> adapters() const { return table_.adapters(); }
  // True: it was of a model that is given up, which will not have it again.
  bool forget_adapter(const std::string& id) { return table_.forget_adapter(id); }
  [[nodiscard]] Json list() const;
  // `id` empty: the only one. Errors: kModelNotLoaded.
  [[nodiscard]] Result<Json> describe(const std::string& id);
  // By device, as lh_engine_memory gives it.
  [[nodiscard]] Json memory() const { return ledger_.memory(); }
  // Returns when nothing is given up any more without being asked for. Once, before all is unloaded.
  void stop_watching() { watch_.stop(); }

 private:
  // In model_shared_load.cpp.
  [[nodiscard]] std::optional<TaskEnd> wait_for_load(LoadTicket& ticket, const Work& work);
  [[nodiscard]] TaskEnd take_part(LoadTicket& ticket, const Work& work);
  void pass_on_progress(const LoadTicket& ticket, const Work& work, float share);
  void take_over_load(LoadTicket& ticket) LH_REQUIRES(table_mutex);
  void leave_load(const LoadTicket& ticket) LH_REQUIRES(table_mutex);
  [[nodiscard]] TaskEnd settle_load(const LoadTicket& ticket, const Work& work);
  [[nodiscard]] bool is_to_be_taken_back(const LoadTicket& ticket);
  // To those that wait.
  void tell_progress(const std::string& id, float fraction);
  // Tells the hooks, and gives the status back.
  [[nodiscard]] Status load_failed(const std::string& id, Status status);

  class Reservation;
  struct LoadPlan;
  enum class Exactness { kAsNeeded, kAlways, kDescribed };
  [[nodiscard]] Result<LoadPlan> plan_load(const std::string& id, const std::string& path, const LoadParams& params,
                                           Exactness exactness);
  // In place of "auto".
  [[nodiscard]] Status choose_sizes(LoadPlan& plan, MemoryForecast::Questions& questions);
  [[nodiscard]] bool has_plenty_for(const LoadParams& params, const MemoryFootprint& rough);
  [[nodiscard]] Status ask_load(const std::string& id, const std::string& path, LoadPlan& plan, const Work& work,
                                Refusal& refused);
  // Loads, fills the reservation and fires ON_MODEL_READY. Without `shared_load`, for work that needs it: it has a use
  // from the first moment.
  Result<std::shared_ptr<LoadedModel>> bring_in(const std::string& id, const LoadRequest& request, const Work& work,
                                                std::shared_ptr<SharedLoad> shared_load, Refusal& refused);
  Result<std::shared_ptr<LoadedModel>> load_file(const std::string& id, const LoadRequest& request, const Work& work,
                                                 MemoryLedger::Reserved& room, Refusal& refused);
  // Of a load that is to come when the model is used.
  [[nodiscard]] Status declare(const LoadTicket& ticket, const Work& work);
  // In model_embeddings.cpp.
  class Making;
  [[nodiscard]] MemoryFootprint need_of_embeddings(const LoadedModel& model, PoolingType pooling);

  const Dispatcher& dispatcher_;
  CancelFlag& closing_;
  const Limits limits_;
  WeightsTable weights_;  // before the models, which share them
  ModelTable table_;
  MemoryLedger ledger_;
  ModelUnloader unloader_;
  MemoryPlanner planner_;
  MemoryForecast forecast_;
  std::set<const Embedder*> being_made_ LH_GUARDED_BY(table_mutex);  // whose contexts are
  MemoryWatch watch_;                                                // last: its thread uses the other members
};
static_assert(!std::is_copy_constructible_v<ModelManager>);

}  // namespace lh
