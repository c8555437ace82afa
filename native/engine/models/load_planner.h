// Decides how a model would be loaded and what that would take: checks the file, chooses sizes in place of "auto", and
// computes the footprint. Must not: load anything, or fire a hook.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/json/json.h"
#include "engine/memory/memory_forecast.h"
#include "engine/models/memory_ledger.h"
#include "engine/models/model_table.h"
#include "engine/tasks/requests.h"
#include "engine/tasks/task.h"
#include "hooks/dispatch/dispatcher.h"
#include "model/memory_footprint.h"
#include "model/model_runtime.h"

namespace lh {

struct LoadPlan {
  std::shared_ptr<const ModelFiles> files;
  LoadParams params;
  MemoryFootprint need;
  Json description;    // as describe_load() gives it; null unless kDescribed
  MemoryUse adapters;  // that the model will have; part of `need`
};

// The precision of the footprint. kAsNeeded: a rough sum if there is plenty of room and no hook sees it.
enum class Exactness { kAsNeeded, kAlways, kDescribed };

class LoadPlanner {
 public:
  // `offload`: models may be put on a GPU. `low_memory`: bytes of each device that "auto" leaves free.
  LoadPlanner(const ModelRuntime& runtime, const Dispatcher& dispatcher, const ModelTable& table,
              const MemoryLedger& ledger, bool offload, uint64_t low_memory)
      : runtime_(runtime),
        dispatcher_(dispatcher),
        table_(table),
        ledger_(ledger),
        offload_(offload),
        low_memory_(low_memory),
        forecast_(runtime) {}
  LoadPlanner(const LoadPlanner&) = delete;
  LoadPlanner& operator=(const LoadPlanner&) = delete;

  [[nodiscard]] Result<LoadPlan> make_plan(const std::string& id, const std::string& path, const LoadParams& params,
                                           Exactness exactness);
  // The result of lh_model_estimate: what a load would take, and whether there is room for it as things are.
  [[nodiscard]] TaskEnd estimate(const LoadRequest& request);
  // The memory that an embedding context on the loaded model takes.
  [[nodiscard]] MemoryFootprint need_of_embeddings(const LoadedModel& model, PoolingType pooling);

 private:
  [[nodiscard]] Status choose_sizes(LoadPlan& plan, MemoryForecast::Questions& questions);
  [[nodiscard]] bool has_plenty_for(const LoadParams& params, const MemoryFootprint& rough);

  const ModelRuntime& runtime_;
  const Dispatcher& dispatcher_;
  const ModelTable& table_;
  const MemoryLedger& ledger_;
  const bool offload_;
  const uint64_t low_memory_;
  MemoryForecast forecast_;
};
static_assert(!std::is_copy_constructible_v<LoadPlanner>);

// `own`: the runtime's part of lh_model_describe.
[[nodiscard]] Json describe_load(const std::string& path, uint64_t file_bytes, const std::vector<Device>& gpus,
                                 Json own);

}  // namespace lh
