#include "engine/models/load_planner.h"

#include <algorithm>
#include <vector>

#include "base/system/log.h"
#include "engine/memory/load_sizing.h"
#include "model/device_choice.h"
#include "platform/cores.h"
#include "platform/host_memory.h"

namespace lh {
namespace {

constexpr int64_t kLargestContext = 16777216;  // that may be asked for

// Threads of ggml meet at a barrier after every operation. One more than there are cores, and each meeting waits for
// the scheduler: on two cores a generation of 14 ms has taken 1.3 s.
void cap_threads(const std::string& id, LoadParams& params) {
  const int32_t cores = usable_cores();
  if (params.threads <= cores) return;
  log_line(LogLevel::kWarn, "loading \"" + id + "\": threads is " + std::to_string(params.threads) + ", and " +
                                std::to_string(cores) + " cores can be used: it gets as many threads as that");
  params.threads = cores;
}

// A load that allocates nothing still keeps a record of each cell of the KV cache. If these records alone would take a
// good part of the free memory, the rough sum is used.
bool can_be_measured(const LoadParams& params) {
  constexpr uint64_t kRecord = 64;
  const uint64_t cells = static_cast<uint64_t>(params.context_size) * static_cast<uint64_t>(params.parallel);
  const HostMemory main = host_memory();
  return main.total == 0 || cells * kRecord < main.free / 4;
}

}  // namespace

Json describe_load(const std::string& path, uint64_t file_bytes, const std::vector<Device>& gpus, Json own) {
  Json names = Json::array({kMainMemory});
  for (const Device& device : gpus) names.push_back(device.name);
  own.update({{"path", path}, {"file_bytes", file_bytes}, {"devices", std::move(names)}});
  return own;
}

Result<LoadPlan> LoadPlanner::make_plan(const std::string& id, const std::string& path, const LoadParams& params,
                                        Exactness exactness) {
  auto files = runtime_.open(path, params);
  if (!files.ok()) return files.status();
  LoadPlan plan{*std::move(files), params, {}, {}, {}};
  for (const AdapterInfo& one : table_.adapters_to_bring_back(id, path)) add_use(plan.adapters, one.memory);
  if (!offload_ && params.devices && !params.devices->empty()) {
    return Status(Code::kInvalidArgument,
                  "devices names \"" + params.devices->front() + "\", and the models of this engine stay on the CPU");
  }
  if (!offload_) plan.params.gpu_layers = 0;
  if (Status status = check_placement(plan.params, runtime_.devices()); !status.ok()) return status;
  cap_threads(id, plan.params);
  MemoryForecast::Questions questions(forecast_, plan.files);
  const bool is_auto = plan.params.gpu_layers == kAutoNumber || plan.params.context_size == kAutoNumber;
  if (is_auto) {
    if (Status status = choose_sizes(plan, questions); !status.ok()) return status;
  }
  plan.params.context_size = effective_context_size(plan.files->facts().training_context, plan.params);
  plan.need = plan.files->estimate(plan.params);
  add_use(plan.need.own, plan.adapters);
  if (exactness == Exactness::kDescribed) {
    auto description = questions.describe(plan.params);
    if (!description.ok()) return description.status();
    plan.description = describe_load(path, plan.files->facts().file_bytes, gpus_of(plan.params, runtime_.devices()),
                                     *std::move(description));
  }
  if (exactness == Exactness::kAsNeeded && !is_auto && has_plenty_for(plan.params, plan.need)) return plan;
  if (!can_be_measured(plan.params)) return plan;
  // A file that llama.cpp cannot load is refused by the load.
  auto exact = questions.of(plan.params);
  if (!exact.ok()) return plan;
  plan.need = *std::move(exact);
  add_use(plan.need.own, plan.adapters);
  return plan;
}

Status LoadPlanner::choose_sizes(LoadPlan& plan, MemoryForecast::Questions& questions) {
  LoadParams usual = plan.params;
  usual.context_size = 0;
  LoadSizes sizes;
  const FileFacts& facts = plan.files->facts();
  sizes.usual_context = effective_context_size(facts.training_context, usual);
  sizes.most_context =
      static_cast<int32_t>(std::clamp<int64_t>(facts.training_context, sizes.usual_context, kLargestContext));
  if (!gpus_of(plan.params, runtime_.devices()).empty()) sizes.most_layers = static_cast<int32_t>(facts.layers) + 1;
  const auto size_for = [&](const std::vector<DeviceRoom>& rooms, const FootprintSum& held) {
    return size_load(plan.params, sizes, [&](const LoadParams& params, Where where) -> Result<bool> {
      LoadParams numbers = params;
      numbers.context_size = effective_context_size(facts.training_context, params);
      MemoryFootprint whole = plan.files->estimate(numbers);
      if (can_be_measured(numbers)) {
        auto exact = questions.of(numbers);
        if (exact.status().code() == Code::kInsufficientMemory) return false;
        if (!exact.ok()) return exact.status();
        whole = *std::move(exact);
      }
      add_use(whole.own, plan.adapters);
      MemoryUse need = held.beyond(whole);
      if (where == Where::kGpus) std::erase_if(need, [](const DeviceUse& one) { return one.device == kMainMemory; });
      return !shortage(need, rooms);
    });
  };
  std::vector<DeviceRoom> now;
  std::vector<DeviceRoom> emptied;
  FootprintSum all;
  FootprintSum left;
  {
    const TableLock lock(table_);
    now = with_reserve(ledger_.rooms(), low_memory_);
    left = all = ledger_.held();
    emptied = without(now, ledger_.idle_models(), left);
  }
  auto sized = size_for(now, all);
  // Tries at most the usual context if no load fits now: idle models would be evicted for it, but not for a larger one.
  if (sized.ok() && !*sized) {
    sizes.most_context = sizes.usual_context;
    sized = size_for(emptied, left);
  }
  if (!sized.ok()) return sized.status();
  plan.params = *sized ? **sized : least_load(plan.params, sizes);
  return {};
}

// True if a rough sum is enough: it can be computed, no budget or hook needs the exact numbers, and the memory is
// plenty.
bool LoadPlanner::has_plenty_for(const LoadParams& params, const MemoryFootprint& rough) {
  if (ledger_.has_budgets() || dispatcher_.has(LH_HOOK_ON_MODEL_LOAD)) return false;
  const size_t gpus = gpus_of(params, runtime_.devices()).size();
  if (gpus > 1 || (gpus == 1 && params.cpu_moe != 0)) return false;
  const TableLock lock(table_);
  MemoryUse need = ledger_.held().beyond(rough);
  for (DeviceUse& one : need) one.compute += one.total() / 2;
  return !shortage(need, ledger_.rooms());
}

TaskEnd LoadPlanner::estimate(const LoadRequest& request) {
  auto plan = make_plan(request.path, request.path, request.params, Exactness::kDescribed);
  if (!plan.ok()) return {plan.status()};
  const MemoryUse need = ledger_.beyond(plan->need);
  bool fits = false;
  {
    const TableLock lock(table_);
    fits = !shortage(need, ledger_.rooms());
  }
  Json told = std::move(plan->description);
  told["estimate"] = to_json(need);
  told["memory"] = by_device(need);
  told["fits"] = fits;
  return {Status(), std::move(told)};
}

MemoryFootprint LoadPlanner::need_of_embeddings(const LoadedModel& model, PoolingType pooling) {
  MemoryFootprint rough{total(model.generator->memory()), {}};
  for (DeviceUse& one : rough.own) one = {one.device, 0, model.generator->embedder().rough_bytes(), 0, 0};
  if (has_plenty_for(model.params, rough)) return rough;
  auto exact = forecast_.of_embeddings(model.path, model.params, pooling);
  return exact.ok() ? *std::move(exact) : rough;
}

}  // namespace lh
