// The models of one engine by name: loading, use, unloading, what they take of memory, and the hooks around all that.
// Must not: hold its lock while a hook runs or a file is read.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "base/threads/cancel.h"
#include "base/threads/mutex.h"
#include "base/threads/ticker.h"
#include "engine/models/memory_forecast.h"
#include "engine/models/memory_plan.h"
#include "engine/models/model_table.h"
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
  using Budgets = std::map<std::string, uint64_t>;  // bytes by device
  struct Limits {
    bool offload = true;      // whether models may be put on a GPU
    Budgets budgets;          // that models may take; of a device that is not there: what it has
    uint64_t low_memory = 0;  // bytes: when a device has less left, what is idle is given up; 0: nobody looks
  };
  // Errors: kInvalidArgument, for a device that is not here.
  [[nodiscard]] static Result<Budgets> budgets_of(const EngineOptions& options);
  // `closing`: bounds the wait for hooks that nothing cancels.
  ModelManager(const Dispatcher& dispatcher, CancelFlag& closing, Limits limits)
      : dispatcher_(dispatcher), closing_(closing), limits_(std::move(limits)) {}
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
  Json finish_unload(const std::string& id, const std::string& reason);

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
  [[nodiscard]] Json memory() const;
  // Returns when nothing is given up any more without being asked for. Once, before all is unloaded.
  void stop_watching();

 private:
  [[nodiscard]] static const char* state_name(ModelEntry::State state);

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
  using Kept = std::optional<std::list<MemoryFootprint>::iterator>;  // of being_loaded_
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
                                                 Kept& room, Refusal& refused);
  // Of a load that is to come when the model is used.
  [[nodiscard]] Status declare(const LoadTicket& ticket, const Work& work);
  // A model that was taken out of the table.
  struct Leaving {
    std::shared_ptr<LoadedModel> model;
    MemoryUse freed;
  };
  void give_back(Kept& room) LH_REQUIRES(table_mutex);
  static void free_memory(const Leaving& leaving);
  void tell_unloaded(const Leaving& leaving, const std::string& reason);
  [[nodiscard]] Json told(const ModelEntry& entry) const LH_REQUIRES(table_mutex);

  // In model_embeddings.cpp.
  class Making;
  [[nodiscard]] MemoryFootprint need_of_embeddings(const LoadedModel& model, PoolingType pooling);

  // In model_room.cpp.
  [[nodiscard]] FootprintSum loaded() const LH_REQUIRES(table_mutex);
  [[nodiscard]] FootprintSum held() const LH_REQUIRES(table_mutex);  // and being loaded
  // What a load takes beside what is there.
  [[nodiscard]] MemoryUse beyond(const MemoryFootprint& need) const;
  [[nodiscard]] std::optional<uint64_t> budget_of(const std::string& device) const;
  [[nodiscard]] std::vector<DeviceRoom> rooms() const LH_REQUIRES(table_mutex);
  [[nodiscard]] std::vector<IdleModel> candidates() const LH_REQUIRES(table_mutex);
  [[nodiscard]] std::optional<Shortage> keep_room(const MemoryFootprint& need, Kept& room) LH_REQUIRES(table_mutex);
  // Keeps memory for `what` of the model `id`; what is idle is given up for it. Errors: kInsufficientMemory,
  // kInvalidArgument (the plan of a hook), kCancelled, kClosed.
  [[nodiscard]] Status take_room(const std::string& id, const std::string& what, const MemoryFootprint& need,
                                 Kept& kept, const Work& work, Refusal& refused);
  // Takes room, and makes there what takes its place: either of them is counted at any moment. Errors: those of both.
  [[nodiscard]] Status make_in_room(const std::string& id, const std::string& what, const MemoryFootprint& need,
                                    FunctionRef<Result<Publish>()> make, const Work& work, Refusal& refused);
  struct Pressure;
  [[nodiscard]] Status relieve(Pressure& pressure, const Scope& scope, Refusal& refused);
  [[nodiscard]] std::string holders(const std::string& device) const LH_REQUIRES(table_mutex);
  void drop_conversations(uint64_t bytes);
  // False: it is in use, or has gone already.
  bool evict(const std::string& id, const std::string& reason);
  void watch();
  void look();
  void look_for_idle();
  void keep_conversations_to_budget(uint64_t budget);
  void look_for_room();

  // Of hooks that belong to no running operation: nothing cancels them.
  [[nodiscard]] Scope free_scope(const std::string& id) const;

  ModelTable table_;
  const Dispatcher& dispatcher_;
  CancelFlag& closing_;
  const Limits limits_;
  MemoryForecast forecast_;
  WeightsTable weights_;
  std::list<MemoryFootprint> being_loaded_ LH_GUARDED_BY(table_mutex);
  // By device, of when nothing was being loaded: what it had free and models had. A load takes its memory bit by bit,
  // and what a device has free meanwhile is not what it has for others.
  std::map<std::string, uint64_t> before_loads_ LH_GUARDED_BY(table_mutex);
  std::set<const Embedder*> being_made_ LH_GUARDED_BY(table_mutex);  // whose contexts are
  // Of devices that were found low on memory, and still are: what was to be given up.
  std::map<std::string, MemoryPlan> low_ LH_GUARDED_BY(table_mutex);
  bool watching_ LH_GUARDED_BY(table_mutex) = true;  // or free to begin
  std::unique_ptr<Ticker> ticker_ LH_GUARDED_BY(table_mutex);
};
static_assert(!std::is_copy_constructible_v<ModelManager>);

}  // namespace lh
