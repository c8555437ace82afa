// The models of one engine by name, for the rest of the engine: loading, use, unloading, and their memory.
// It puts together the parts that do this: each part uses only parts before it in the list of members.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/threads/cancel.h"
#include "engine/models/crash_reports.h"
#include "engine/models/embedding_maker.h"
#include "engine/models/load_joining.h"
#include "engine/models/load_planner.h"
#include "engine/models/memory_ledger.h"
#include "engine/models/memory_planner.h"
#include "engine/models/memory_watch.h"
#include "engine/models/model_loader.h"
#include "engine/models/model_table.h"
#include "engine/models/model_unloader.h"
#include "engine/tasks/requests.h"
#include "engine/tasks/task.h"
#include "generation/model_source.h"
#include "generation/work.h"
#include "hooks/calls/operation.h"
#include "hooks/dispatch/dispatcher.h"
#include "model/generator.h"
#include "model/model_runtime.h"

namespace lh {

class ModelManager final : public ModelSource {
 public:
  using Budgets = MemoryLedger::Budgets;
  struct Limits {
    bool offload = true;      // whether models may be put on a GPU
    Budgets budgets;          // a device without one: models may take all that it has
    uint64_t low_memory = 0;  // bytes: idle models of a device with less left are evicted; 0: none are
  };
  // Errors: kInvalidArgument, for a device that is not here.
  [[nodiscard]] static Result<Budgets> budgets_of(const EngineOptions& options, const std::vector<Device>& devices) {
    return MemoryLedger::budgets_of(options, devices);
  }
  // `closing`: bounds the wait for hooks that nothing cancels.
  ModelManager(std::shared_ptr<ModelRuntime> runtime, const Dispatcher& dispatcher, CancelFlag& closing,
               const Limits& limits);
  ModelManager(const ModelManager&) = delete;
  ModelManager& operator=(const ModelManager&) = delete;

  using LoadTicket = lh::LoadTicket;
  // Reserves the name for a load that is about to run, or joins a running load of the same path and options. Errors:
  // kModelInUse.
  [[nodiscard]] Status reserve(LoadTicket& ticket) { return loader_.reserve(ticket); }
  void drop_reservation(const LoadTicket& ticket) { loader_.drop_reservation(ticket); }
  // On the work's thread. If every caller of a load has cancelled before it returns, no model stays behind.
  [[nodiscard]] TaskEnd load(LoadTicket& ticket, const Work& work) { return loader_.load(ticket, work); }
  // Estimates the memory of a load and whether there is room for it now. Nothing is loaded.
  [[nodiscard]] TaskEnd estimate(const LoadRequest& request) { return load_planner_.estimate(request); }
  // Errors: kReentrant inside a hook that holds up work that uses `thing`: `what` would wait for that.
  [[nodiscard]] static Status may_wait_for(const void* thing, const std::string& what) {
    return may_wait_for_users_of(thing, what);
  }
  // No new use from now on. Errors: kModelNotLoaded; kReentrant inside a hook that holds up a use of the model, or its
  // load.
  [[nodiscard]] Status begin_unload(const std::string& id) { return table_.begin_unload(id); }
  void cancel_unload(const std::string& id) { table_.cancel_unload(id); }
  // Waits for its load and for the last use, frees the model, fires ON_MODEL_UNLOAD. Gives the result of
  // lh_model_unload. Errors: kStuck, as ModelUnloader::unload().
  Result<Json> finish_unload(const std::string& id, const std::string& reason, std::chrono::milliseconds patience) {
    return unloader_.unload(id, reason, patience);
  }
  // No work uses the model, and none holds up its decode thread.
  [[nodiscard]] bool unused(const std::string& id) const { return table_.unused(id); }
  // The names of the models that are in memory.
  [[nodiscard]] std::vector<std::string> held_ids() const { return table_.held_ids(); }

  // A model in use with all that is known of it; holding it keeps it loaded. `id` empty: the only one.
  using Use = ModelTable::Use;
  [[nodiscard]] Result<Use> use(const std::string& id) { return table_.use(id); }
  // The model that work will use which is about to begin; bring_back() loads it if it is cold.
  using Wanted = ModelTable::Wanted;
  // Errors: kModelNotLoaded; kReentrant inside a hook that holds up the load that it would wait for.
  [[nodiscard]] Result<Wanted> want(const std::string& id) { return table_.want(id); }
  // Called by work, on its thread. Errors: kModelNotLoaded, kCancelled, and those of a load.
  [[nodiscard]] Result<Use> bring_back(const std::string& id, const Work& work, Refusal& refused) {
    return loader_.bring_back(id, work, refused);
  }
  // Makes the context that computes embeddings with this pooling, unless it is there. Called by work, on its thread; if
  // several callers need it for one model, one of them makes it. Errors: kInsufficientMemory, kInvalidArgument (the
  // plan of a hook), kCancelled, kClosed, kNoThread.
  [[nodiscard]] Status make_embeddings(const Use& model, PoolingType pooling, const Work& work, Refusal& refused) {
    return embeddings_.make(model, pooling, work, refused);
  }
  // Called before such work begins. Errors: kReentrant inside a hook that holds up the work to wait for.
  [[nodiscard]] static Status may_wait_for_embeddings(const Use& model);
  // Before work fires its first hook, and after its last.
  static void enter_use(Operation& work, const LoadedModel& model);
  static void leave_use(Operation& work, const LoadedModel& model);
  [[nodiscard]] Result<ModelUse> acquire(const std::string& id, const Work& work, Refusal& refused) override;
  [[nodiscard]] Status known(const std::string& id) override { return table_.known(id); }
  // The ids of the loaded models.
  [[nodiscard]] std::vector<std::string> ids() const { return table_.usable_ids(); }
  // Reserves memory first. For work, on its thread. Errors: those of Generator::load_adapter(), kInsufficientMemory,
  // kInvalidArgument (the plan of a hook), kCancelled, kClosed.
  [[nodiscard]] Status load_adapter(const ModelUse& model, const std::string& id, const std::string& path, double scale,
                                    const Work& work, Refusal& refused);
  // The adapters of all models, each with its model's id. An evicted model gets its adapters back when it is loaded
  // again.
  [[nodiscard]] std::vector<std::pair<std::string, AdapterInfo>> adapters() const { return table_.adapters(); }
  // True: an evicted model had it, and will not have it again.
  bool forget_adapter(const std::string& id) { return table_.forget_adapter(id); }
  [[nodiscard]] Json list() const;
  // `id` empty: the only one. Errors: kModelNotLoaded.
  [[nodiscard]] Result<Json> describe(const std::string& id);
  // The memory by device, as lh_engine_memory returns it.
  [[nodiscard]] Json memory() const { return ledger_.memory(); }
  // The runtime's part of lh_system_info.
  [[nodiscard]] Json runtime_info() const { return runtime_->info(); }
  // See ModelRuntime::close().
  void close_runtime() { runtime_->close(); }
  // Stops the watch on memory. Called once, before all models are unloaded.
  void stop_watching() { watch_.stop(); }

 private:
  const std::shared_ptr<ModelRuntime> runtime_;
  ModelTable table_;
  MemoryLedger ledger_;
  ModelUnloader unloader_;
  MemoryPlanner memory_;
  LoadPlanner load_planner_;
  EmbeddingMaker embeddings_;
  MemoryWatch watch_;  // after all that its thread uses
  ModelLoader loader_;
  CrashReports crashes_;
};
static_assert(!std::is_copy_constructible_v<ModelManager>);

}  // namespace lh
