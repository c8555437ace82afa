// Loading: what a load will take, the hooks around it, and the load itself. Parts of ModelManager.
#include <algorithm>
#include <chrono>

#include "base/system/cores.h"
#include "base/system/host_memory.h"
#include "base/system/log.h"
#include "engine/models/hook_scope.h"
#include "engine/models/load_sizing.h"
#include "engine/models/model_manager.h"
#include "engine/models/shared_load.h"
#include "gguf/check.h"
#include "llama/base/architectures.h"
#include "llama/base/device_choice.h"
#include "llama/base/runtime.h"
#include "llama/generator.h"

namespace lh {
namespace {

constexpr int64_t kLargestContext = 16777216;  // that may be asked for

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Json device_names(const LoadParams& params) {
  Json names = Json::array({kMainMemory});
  for (const Device& device : gpus_of(params)) names.push_back(device.name);
  return names;
}

// `own`: the model's own part of lh_model_describe.
Json describe_load(const std::string& path, const GgufSummary& file, const LoadParams& params, Json own) {
  own.update({{"path", path}, {"file_bytes", file.file_bytes}, {"devices", device_names(params)}});
  return own;
}

// Threads of ggml meet at a barrier after every operation. One more than there are cores, and each meeting waits for
// the scheduler: on two cores a generation of 14 ms has taken 1.3 s.
void cap_threads(const std::string& id, LoadParams& params) {
  const int32_t cores = usable_cores();
  if (params.threads <= cores) return;
  log_line(LogLevel::kWarn, "loading \"" + id + "\": threads is " + std::to_string(params.threads) + ", and " +
                                std::to_string(cores) + " cores can be used: it gets as many threads as that");
  params.threads = cores;
}

// A load that allocates nothing keeps a record of each cell of the KV cache all the same. Where these alone are a good
// part of what is free, the sum by hand says enough.
bool can_be_measured(const LoadParams& params) {
  constexpr uint64_t kRecord = 64;
  const uint64_t cells = static_cast<uint64_t>(params.context_size) * static_cast<uint64_t>(params.parallel);
  const HostMemory main = host_memory();
  return main.total == 0 || cells * kRecord < main.free / 4;
}

}  // namespace

// A name and memory that are kept for a load, until the load has a model for them. Of a model that was loaded before,
// it is kept all the same.
class ModelManager::Reservation {
 public:
  Reservation(ModelManager& models, const std::string& id, std::shared_ptr<SharedLoad> shared_load)
      : models_(models), id_(id), shared_(std::move(shared_load)) {}
  ~Reservation() {
    const TableLock lock(models_.table_);
    models_.ledger_.release(room);
    if (shared_) shared_->state = SharedLoad::State::kEnded;
    if (!filled_) leave();
    models_.table_.tell_changed();
  }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  void fill(const std::shared_ptr<LoadedModel>& model, const LoadRequest& request, int uses) {
    const TableLock lock(models_.table_);
    models_.ledger_.release(room);  // from now on it is counted as loaded
    model->description["measured"] = to_json(models_.ledger_.held().beyond(model->generator->memory()));
    succeed(models_.table_.fill(model, request, shared_, uses));
  }
  // With what will be loaded when the model is used.
  void declare(const LoadRequest& request, Json description) {
    const TableLock lock(models_.table_);
    succeed(models_.table_.declare(id_, request, std::move(description)));
  }
  // Why it will not be filled.
  void fail(const Status& status, const Refusal& refused) {
    const TableLock lock(models_.table_);
    if (!shared_) return;
    shared_->status = status;
    shared_->refused = refused;
  }

  MemoryLedger::Reserved room;

 private:
  void succeed(const ModelEntry& entry) LH_REQUIRES(table_mutex) {
    filled_ = true;
    if (shared_) {
      shared_->status = {};
      shared_->description = models_.ledger_.describe(entry);
    }
  }
  void leave() LH_REQUIRES(table_mutex) {
    if (shared_ && shared_->status.code() == Code::kCancelled && --shared_->callers > 0) {
      shared_->state = SharedLoad::State::kLeft;  // one of those that wait goes on with it
      return;
    }
    models_.table_.end_without_model(id_);
  }

  ModelManager& models_;
  const std::string& id_;
  const std::shared_ptr<SharedLoad> shared_;  // none: the load is one that other work needs
  bool filled_ = false;
};

Result<std::shared_ptr<LoadedModel>> ModelManager::bring_in(const std::string& id, const LoadRequest& request,
                                                            const Work& work, std::shared_ptr<SharedLoad> shared_load,
                                                            Refusal& refused) {
  const int uses = shared_load ? 0 : 1;  // of who needs it
  const Trace::Span span = dispatcher_.trace().begin("model_load_started", [&] { return Json{{"model_id", id}}; });
  std::optional<Reservation> reservation(std::in_place, *this, id, std::move(shared_load));
  auto loaded = load_file(id, request, work, reservation->room, refused);
  if (loaded.ok()) {
    for (const AdapterInfo& one : table_.adapters_to_bring_back(id, request.path)) {
      if (!loaded.ok()) break;
      const auto adapter = (*loaded)->generator->load_adapter(one.id, one.path, one.scale);
      Status status = adapter.ok() ? (*adapter)() : adapter.status();  // with the model not yet counted
      if (!status.ok()) loaded = std::move(status);
    }
  }
  if (!loaded.ok()) {
    reservation->fail(loaded.status(), refused);
    reservation.reset();  // before hooks hear of it: they may load under the name again
    const Status status = load_failed(id, loaded.status());
    dispatcher_.trace().end("model_load_failed", span, [&] {
      return Json{{"model_id", id}, {"code", code_name(status.code())}};
    });
    return status;
  }
  reservation->fill(*loaded, request, uses);
  dispatcher_.errors().reset();
  static_cast<void>(dispatcher_.fire(LH_HOOK_ON_MODEL_READY, scope_of_work(id, work), [&](std::string& out) {
    const Json& d = (*loaded)->description;
    append_members(out, {{"model_id", id},
                         {"path", (*loaded)->path},
                         {"load_ms", d["load_ms"]},
                         {"devices", d["devices"]},
                         {"measured", d["measured"]},
                         {"n_ctx", d["context_size"]},
                         {"architecture", d["architecture"]}});
  }));
  dispatcher_.trace().end("model_loaded", span, [&] { return Json{{"model_id", id}}; });
  return loaded;
}

// How a load will be done, and what it will take.
struct ModelManager::LoadPlan {
  ModelFiles files;
  LoadParams params;
  MemoryFootprint need;
  Json description;    // as describe_load() has it; null: it was not asked for
  MemoryUse adapters;  // that it will have; part of what it needs
};

Result<ModelManager::LoadPlan> ModelManager::plan_load(const std::string& id, const std::string& path,
                                                       const LoadParams& params, Exactness exactness) {
  auto file = check_gguf(path, architecture_known);
  if (!file.ok()) return file.status();
  LoadPlan plan{{*std::move(file), {}}, params, {}, {}, {}};
  for (const AdapterInfo& one : table_.adapters_to_bring_back(id, path)) add_use(plan.adapters, one.memory);
  if (!limits_.offload && params.devices && !params.devices->empty()) {
    return Status(Code::kInvalidArgument,
                  "devices names \"" + params.devices->front() + "\", and the models of this engine stay on the CPU");
  }
  if (!limits_.offload) plan.params.gpu_layers = 0;
  if (Status status = check_placement(plan.params); !status.ok()) return status;
  cap_threads(id, plan.params);
  if (!params.draft_model.empty()) {
    auto draft = check_gguf(params.draft_model, architecture_known);
    if (!draft.ok()) return draft.status();
    plan.files.draft = *std::move(draft);
  }
  MemoryForecast::Questions questions(forecast_, path, plan.files);
  const bool is_auto = plan.params.gpu_layers == kAutoNumber || plan.params.context_size == kAutoNumber;
  if (is_auto) {
    if (Status status = choose_sizes(plan, questions); !status.ok()) return status;
  }
  plan.params.context_size = effective_context_size(plan.files.model, plan.params);
  plan.need = estimate_memory(plan.files, plan.params);
  add_use(plan.need.own, plan.adapters);
  if (exactness == Exactness::kDescribed) {
    auto description = questions.describe(plan.params);
    if (!description.ok()) return description.status();
    plan.description = describe_load(path, plan.files.model, plan.params, *std::move(description));
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

Status ModelManager::choose_sizes(LoadPlan& plan, MemoryForecast::Questions& questions) {
  LoadParams usual = plan.params;
  usual.context_size = 0;
  LoadSizes sizes;
  sizes.usual_context = effective_context_size(plan.files.model, usual);
  sizes.most_context =
      static_cast<int32_t>(std::clamp<int64_t>(plan.files.model.n_ctx_train, sizes.usual_context, kLargestContext));
  if (!gpus_of(plan.params).empty()) sizes.most_layers = static_cast<int32_t>(plan.files.model.n_layers) + 1;
  const auto size_for = [&](const std::vector<DeviceRoom>& rooms, const FootprintSum& held) {
    return size_load(plan.params, sizes, [&](const LoadParams& params, Where where) -> Result<bool> {
      LoadParams numbers = params;
      numbers.context_size = effective_context_size(plan.files.model, params);
      MemoryFootprint whole = estimate_memory(plan.files, numbers);
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
    now = with_reserve(ledger_.rooms(), limits_.low_memory);
    left = all = ledger_.held();
    emptied = without(now, ledger_.idle_models(), left);
  }
  auto sized = size_for(now, all);
  // Not even the smallest: then for what is given up there is what a load without numbers has, and no more.
  if (sized.ok() && !*sized) {
    sizes.most_context = sizes.usual_context;
    sized = size_for(emptied, left);
  }
  if (!sized.ok()) return sized.status();
  plan.params = *sized ? **sized : least_load(plan.params, sizes);
  return {};
}

// A sum by hand is enough where nobody sees it and nothing hangs on it, and where it can be made.
bool ModelManager::has_plenty_for(const LoadParams& params, const MemoryFootprint& rough) {
  if (ledger_.has_budgets() || dispatcher_.has(LH_HOOK_ON_MODEL_LOAD)) return false;
  const size_t gpus = gpus_of(params).size();
  if (gpus > 1 || (gpus == 1 && params.cpu_moe != 0)) return false;
  const TableLock lock(table_);
  MemoryUse need = ledger_.held().beyond(rough);
  for (DeviceUse& one : need) one.compute += one.total() / 2;
  return !shortage(need, ledger_.rooms());
}

TaskEnd ModelManager::estimate(const LoadRequest& request) {
  auto plan = plan_load(request.path, request.path, request.params, Exactness::kDescribed);
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

// Hooks see what will happen, and change it.
Status ModelManager::ask_load(const std::string& id, const std::string& path, LoadPlan& plan, const Work& work,
                              Refusal& refused) {
  const auto build = [&](std::string& out) {
    append_members(out, {{"model_id", id},
                         {"path", path},
                         {"file_bytes", plan.files.model.file_bytes},
                         {"params", to_json(plan.params)},
                         {"estimate", to_json(ledger_.beyond(plan.need))}});
  };
  Status bad_params;
  const auto plan_anew = [&](Json& changes) {
    if (!changes.contains("params")) return;
    const auto changed = parse_load_params(changes["params"]);
    bad_params = changed.status();
    if (!changed.ok()) return;
    auto anew = plan_load(id, path, *changed, Exactness::kAlways);
    bad_params = anew.status();
    if (!anew.ok()) return;
    plan = *std::move(anew);
    changes["params"] = to_json(plan.params);
    changes["estimate"] = to_json(ledger_.beyond(plan.need));
  };
  const auto complete = [&](DispatchResult& so_far) {
    plan_anew(so_far.changes);
    return true;
  };
  const Outcome asked = dispatcher_.fire(LH_HOOK_ON_MODEL_LOAD, scope_of_work(id, work), build, complete);
  if (!bad_params.ok() || asked->decision.action == Action::kCancelled) refused = asked->decision;
  if (asked->decision.action != Action::kCancelled) return bad_params;
  if (!asked->decision.decided_by) return cancelled_load(id, work.cancel);
  return {Code::kHookCancelled, "loading \"" + id + "\" was cancelled by the hook " + asked->decision.decided_by->name +
                                    ": " + *asked->decision.reason};
}

Result<std::shared_ptr<LoadedModel>> ModelManager::load_file(const std::string& id, const LoadRequest& request,
                                                             const Work& work, MemoryLedger::Reserved& room,
                                                             Refusal& refused) {
  auto plan = plan_load(id, request.path, request.params, Exactness::kAsNeeded);
  if (!plan.ok()) return plan.status();
  if (Status status = ask_load(id, request.path, *plan, work, refused); !status.ok()) return status;
  const auto& [files, params, need, description, adapters] = *plan;
  watch_.begin_for(params);
  if (Status status = planner_.reserve(id, "\"" + id + "\"", need, room, work, refused); !status.ok()) return status;
  const auto start = Clock::now();
  auto generator = load_generator(weights_, request.path, files, params, [&](float fraction) {
    tell_progress(id, fraction);
    if (work.events.wanted()) work.events.emit(LoadProgressEvent{fraction});
    return !work.cancel.cancelled();
  });
  if (work.cancel.cancelled()) return cancelled_load(id, work.cancel);
  if (!generator.ok()) return generator.status();

  auto model = std::make_shared<LoadedModel>();
  model->id = id;
  model->path = request.path;
  model->params = params;
  model->generator = *std::move(generator);
  model->description = describe_load(request.path, files.model, params, model->generator->describe());
  model->description.update({{"model_id", id}, {"load_ms", ms_since(start)}, {"pinned", params.pinned}});
  return model;
}

// As it would be with the load that comes when it is used. No hook is asked before that.
Status ModelManager::declare(const LoadTicket& ticket, const Work& work) {
  const std::string& id = ticket.id;
  std::optional<Reservation> reservation(std::in_place, *this, id, ticket.shared_load);
  auto plan = plan_load(id, ticket.request.path, ticket.request.params, Exactness::kDescribed);
  // Decided before others can use it: what they use is not taken back.
  Status status = work.cancel.settle() ? plan.status() : cancelled_load(id, work.cancel);
  if (!status.ok()) {
    reservation->fail(status, {});
    reservation.reset();  // before hooks hear of it: they may use the name again
    return load_failed(id, std::move(status));
  }
  Json description = std::move(plan->description);
  description.update({{"model_id", id}, {"load_ms", 0}, {"pinned", plan->params.pinned}});
  description["measured"] = to_json(MemoryUse{});
  reservation->declare(ticket.request, std::move(description));
  return {};
}

}  // namespace lh
