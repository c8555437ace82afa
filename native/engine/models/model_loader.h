// Loads models: asks the hooks at ON_MODEL_LOAD, reserves memory, reads the file, and fires ON_MODEL_READY.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "base/function_ref.h"
#include "base/threads/cancel.h"
#include "engine/models/load_joining.h"
#include "engine/models/load_planner.h"
#include "engine/models/memory_ledger.h"
#include "engine/models/memory_planner.h"
#include "engine/models/memory_watch.h"
#include "engine/models/model_table.h"
#include "engine/models/model_unloader.h"
#include "engine/tasks/task.h"
#include "generation/work.h"
#include "hooks/dispatch/decision_log.h"
#include "hooks/dispatch/dispatcher.h"
#include "hooks/dispatch/fire.h"
#include "hooks/dispatch/points_load.h"
#include "model/model_runtime.h"

namespace lh {

class ModelLoader {
 public:
  // The parts of the engine that loads use.
  struct Parts {
    const Dispatcher& dispatcher;
    CancelFlag& closing;
    const ModelRuntime& runtime;
    ModelTable& table;
    MemoryLedger& ledger;
    ModelUnloader& unloader;
    MemoryPlanner& memory;
    MemoryWatch& watch;
    LoadPlanner& planner;
  };
  explicit ModelLoader(const Parts& parts) : parts_(parts), joining_(parts.table) {}
  ModelLoader(const ModelLoader&) = delete;
  ModelLoader& operator=(const ModelLoader&) = delete;

  [[nodiscard]] Status reserve(LoadTicket& ticket) { return joining_.reserve(ticket); }
  void drop_reservation(const LoadTicket& ticket) { joining_.drop_reservation(ticket); }
  // The load of a reserved ticket, on the work's thread. If every caller of a load has cancelled before it returns, no
  // model stays behind.
  [[nodiscard]] TaskEnd load(LoadTicket& ticket, const Work& work);
  // Uses a model, and loads it first if it is cold. For work, on its thread. Errors: kModelNotLoaded, kCancelled, and
  // those of a load.
  [[nodiscard]] Result<ModelTable::Use> bring_back(const std::string& id, const Work& work, Refusal& refused);

 private:
  using Loaded = Result<std::shared_ptr<LoadedModel>>;

  [[nodiscard]] TaskEnd take_part(LoadTicket& ticket, const Work& work);
  // Without `shared_load`, for work that needs the model: it is in use from the first moment.
  [[nodiscard]] Loaded bring_in(const std::string& id, const LoadRequest& request, const Work& work,
                                std::shared_ptr<SharedLoad> shared_load, Refusal& refused);
  [[nodiscard]] Loaded load_file(const std::string& id, const LoadRequest& request, const Work& work,
                                 MemoryLedger::Reserved& memory, Refusal& refused);
  // A model that computes elsewhere.
  [[nodiscard]] Loaded load_own(const std::string& id, const LoadRequest& request, const Work& work, Refusal& refused);
  [[nodiscard]] Status bring_adapters_back(LoadedModel& model);
  // Hooks see the plan, and may change it.
  [[nodiscard]] Status ask_hooks(const std::string& id, const std::string& path, LoadPlan& plan, const Work& work,
                                 Refusal& refused);
  [[nodiscard]] Status ask_hooks_of_own(const std::string& id, const std::string& address, LoadParams& params,
                                        const Work& work, Refusal& refused);
  // The end of both. `bad_params`: the error if the hooks' params are impossible.
  [[nodiscard]] static Status judge(const std::string& id, const PointOutcome<points::OnModelLoad>& asked,
                                    const Status& bad_params, const Work& work, Refusal& refused);
  // Declares the model of a lazy load: it is loaded when it is first used.
  [[nodiscard]] Status declare(const LoadTicket& ticket, const Work& work);
  [[nodiscard]] TaskEnd settle(const LoadTicket& ticket, const Work& work);
  // Tells the hooks, and gives the status back.
  [[nodiscard]] Status failed(const std::string& id, Status status, uint64_t span = 0);

  const Parts parts_;
  LoadJoining joining_;
};
static_assert(!std::is_copy_constructible_v<ModelLoader>);

}  // namespace lh
