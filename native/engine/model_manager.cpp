#include "engine/model_manager.h"

#include <chrono>
#include <exception>

#include "base/cores.h"
#include "base/log.h"
#include "engine/memory_figures.h"
#include "inference/gguf_check.h"
#include "inference/llama_architectures.h"
#include "inference/llama_generator.h"
#include "inference/llama_runtime.h"

namespace lh {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

uint64_t difference(uint64_t larger, uint64_t smaller) { return larger > smaller ? larger - smaller : 0; }

std::string mib(uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

// Refuses a load that cannot fit, instead of being killed by the system halfway.
Status check_memory(const std::string& path, const MemoryEstimate& estimate) {
  const uint64_t host = available_host_bytes();
  if (host > 0 && estimate.least_host_bytes > host) {
    return Status(Code::kInsufficientMemory, path + " with this context needs " + mib(estimate.least_host_bytes) +
                                                 " of main memory, and " + mib(host) + " are available");
  }
  const uint64_t gpu = free_gpu_bytes();
  if (estimate.least_device_bytes > gpu) {
    return Status(Code::kInsufficientMemory, path + " needs " + mib(estimate.least_device_bytes) +
                                                 " of GPU memory, and " + mib(gpu) +
                                                 " are free; lower gpu_layers or context_size");
  }
  return {};
}

Json to_json(const MemoryEstimate& estimate) {
  return {{"device_bytes", estimate.device_bytes}, {"host_bytes", estimate.host_bytes}};
}

Json device_names(const LoadParams& params) {
  Json names = Json::array();
  for (const Device& device : devices()) {
    if (device.is_gpu() ? params.gpu_layers != 0 : device.type == DeviceType::kCpu) names.push_back(device.name);
  }
  return names;
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

Scope load_scope(const std::string& id, const Work& work) {
  Scope scope;
  scope.model_id = id;
  scope.cancel = &work.cancel;
  return scope;
}

Status cancelled(const std::string& id) { return {Code::kCancelled, "loading \"" + id + "\" was cancelled"}; }

}  // namespace

Scope ModelManager::free_scope(const std::string& id) const {
  Scope scope;
  scope.model_id = id;
  scope.closing = &closing_;
  return scope;
}

Status ModelManager::reserve(const std::string& id) {
  if (id.empty()) return Status(Code::kInvalidArgument, "a model needs an id that is not empty");
  const MutexLock lock(mutex_);
  if (!entries_.try_emplace(id).second) {
    return Status(Code::kModelInUse, "a model named \"" + id + "\" is loaded, or being loaded, already");
  }
  return {};
}

void ModelManager::drop_reservation(const std::string& id) {
  const MutexLock lock(mutex_);
  entries_.erase(id);
}

// A name that is kept for a load, until the load has a model for it.
class ModelManager::Reservation {
 public:
  Reservation(ModelManager& models, const std::string& id) : models_(models), id_(id) {}
  ~Reservation() {
    if (!filled_) models_.drop_reservation(id_);
  }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  void fill(std::shared_ptr<LoadedModel> model) {
    const MutexLock lock(models_.mutex_);
    models_.entries_[id_].model = std::move(model);
    filled_ = true;
  }

 private:
  ModelManager& models_;
  const std::string& id_;
  bool filled_ = false;
};

TaskEnd ModelManager::load(const std::string& id, const LoadRequest& request, const Work& work) {
  Json detail = Json::object();
  std::optional<Reservation> reservation(std::in_place, *this, id);
  const auto loaded = load_file(id, request, work, detail);
  const auto fail = [&](Status status) -> TaskEnd {
    dispatcher_.error(free_scope(id), code_name(status.code()), status.message(), "load", false);
    return {std::move(status), std::move(detail)};
  };
  if (!loaded.ok()) {
    reservation.reset();  // before hooks hear of it: they may load under the name again
    return fail(loaded.status());
  }
  const std::shared_ptr<LoadedModel> model = *loaded;
  std::atomic<const void*>& may_take_back = Operation::current()->may_take_back;
  may_take_back.store(model.get(), std::memory_order_release);
  reservation->fill(model);
  dispatcher_.errors().reset();
  static_cast<void>(dispatcher_.fire(LH_HOOK_ON_MODEL_READY, load_scope(id, work), [&](std::string& out) {
    const Json& d = model->description;
    append_members(out, {{"model_id", id},
                         {"path", model->path},
                         {"load_ms", d["load_ms"]},
                         {"devices", d["devices"]},
                         {"measured", d["measured"]},
                         {"n_ctx", d["context_size"]},
                         {"architecture", d["architecture"]}});
  }));
  // From here on a cancel comes too late, and the load has succeeded; one that came before takes the model back.
  if (work.cancel.settle()) {
    may_take_back.store(nullptr, std::memory_order_release);
    return {Status(), model->description};
  }
  if (begin_unload(id).ok()) finish_unload(id, "the load was cancelled");
  may_take_back.store(nullptr, std::memory_order_release);
  return fail(cancelled(id));
}

Result<std::shared_ptr<LoadedModel>> ModelManager::load_file(const std::string& id, const LoadRequest& request,
                                                             const Work& work, Json& detail) {
  auto file = check_gguf(request.path, architecture_known);
  if (!file.ok()) return file.status();
  ModelFiles files{*std::move(file), {}};
  LoadParams params = request.params;
  MemoryEstimate estimate;
  const auto settle_params = [&]() -> Status {  // hooks see what will happen
    params.context_size = effective_context_size(files.model, params);
    if (!offload_) params.gpu_layers = 0;
    cap_threads(id, params);
    files.draft.reset();
    if (!params.draft_model.empty()) {
      auto draft = check_gguf(params.draft_model, architecture_known);
      if (!draft.ok()) return draft.status();
      files.draft = *std::move(draft);
    }
    estimate = estimate_memory(files, params);
    return {};
  };
  if (Status status = settle_params(); !status.ok()) return status;
  const auto build = [&](std::string& out) {
    append_members(out, {{"model_id", id},
                         {"path", request.path},
                         {"file_bytes", files.model.file_bytes},
                         {"params", to_json(params)},
                         {"estimate", to_json(estimate)}});
  };
  Status bad_params;
  const auto complete = [&](Json& changes) {
    if (!changes.contains("params")) return;
    auto changed = parse_load_params(changes["params"]);
    bad_params = changed.status();
    if (!changed.ok()) return;
    params = *std::move(changed);
    bad_params = settle_params();
    if (!bad_params.ok()) return;
    changes["params"] = to_json(params);
    changes["estimate"] = to_json(estimate);
  };
  const Outcome asked = dispatcher_.fire(LH_HOOK_ON_MODEL_LOAD, load_scope(id, work), build, complete);
  if (asked->decision.action == Action::kCancelled) {
    detail["decision"] = to_json(asked->decision);
    if (!asked->decision.decided_by) return cancelled(id);
    return Status(Code::kHookCancelled, "loading \"" + id + "\" was cancelled by the hook " +
                                            asked->decision.decided_by->name + ": " + *asked->decision.reason);
  }
  if (!bad_params.ok()) return bad_params;
  if (Status status = check_memory(request.path, estimate); !status.ok()) return status;

  const uint64_t resident_before = resident_bytes();
  const uint64_t gpu_before = free_gpu_bytes();
  const auto start = Clock::now();
  auto generator = load_generator(request.path, files, params, [&work](float fraction) {
    if (work.events.wanted()) work.events.emit(LoadProgressEvent{fraction});
    return !work.cancel.cancelled();
  });
  if (!generator.ok()) return generator.status();
  if (work.cancel.cancelled()) return cancelled(id);

  auto model = std::make_shared<LoadedModel>();
  model->id = id;
  model->path = request.path;
  model->generator = *std::move(generator);
  model->device_bytes = difference(gpu_before, free_gpu_bytes());
  model->host_bytes = difference(resident_bytes(), resident_before);
  model->description = {{"model_id", id}, {"path", request.path}, {"file_bytes", files.model.file_bytes}};
  model->description.update(model->generator->describe());
  model->description["devices"] = device_names(params);
  model->description["load_ms"] = ms_since(start);
  model->description["measured"] = {{"device_bytes", model->device_bytes}, {"host_bytes", model->host_bytes}};
  return model;
}

Status ModelManager::begin_unload(const std::string& id) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || !found->second.usable()) {
    return Status(Code::kModelNotLoaded, "no model named \"" + id + "\" is loaded");
  }
  const LoadedModel* const model = found->second.model.get();
  if (CallFrame::depth_here() > 0 &&
      Operation::held_up([model](const Operation& one) { return one.uses.has(model); })) {
    return Status(Code::kReentrant, "unloading \"" + id + "\" would wait for the generation that this hook holds up");
  }
  found->second.unloading = true;
  return {};
}

void ModelManager::cancel_unload(const std::string& id) {
  const MutexLock lock(mutex_);
  entries_[id].unloading = false;
}

void ModelManager::finish_unload(const std::string& id, const std::string& reason) {
  std::shared_ptr<LoadedModel> model;
  {
    MutexLock lock(mutex_);
    while (entries_[id].uses != 0) lock.wait(unused_);
    model = std::move(entries_[id].model);
    entries_.erase(id);
  }
  const uint64_t resident_before = resident_bytes();
  const uint64_t gpu_before = free_gpu_bytes();
  model->generator.reset();
  static_cast<void>(dispatcher_.fire(LH_HOOK_ON_MODEL_UNLOAD, free_scope(id), [&](std::string& out) {
    append_members(out, {{"model_id", id},
                         {"path", model->path},
                         {"reason", reason},
                         {"freed",
                          {{"device_bytes", difference(free_gpu_bytes(), gpu_before)},
                           {"host_bytes", difference(resident_before, resident_bytes())},
                           {"measured", true}}}});
  }));
}

Result<ModelManager::Use> ModelManager::use(const std::string& id) {
  const MutexLock lock(mutex_);
  std::string name = id;
  if (id.empty()) {
    const std::vector<std::string> usable = usable_ids();
    if (usable.size() != 1) {
      return Status(Code::kModelNotLoaded,
                    usable.empty() ? "no model is loaded" : "several models are loaded: the request must name one");
    }
    name = usable.front();
  }
  const auto found = entries_.find(name);
  if (found == entries_.end() || !found->second.usable()) {
    return Status(Code::kModelNotLoaded, "no model named \"" + name + "\" is loaded");
  }
  ++found->second.uses;
  return Use(found->second.model.get(), [this, name](LoadedModel*) { end_use(name); });
}

Result<ModelUse> ModelManager::acquire(const std::string& id) {
  const auto used = use(id);
  if (!used.ok()) return used.status();
  // For as long as it is in use: unloading it from a hook of this work would wait for the work.
  const auto work = Operation::current();
  if (work) work->uses.add(used->get());
  std::shared_ptr<Generator> generator((*used)->generator.get(), [work, use = *used](Generator*) {
    if (work) work->uses.remove(use.get());
  });
  return ModelUse{(*used)->id, std::move(generator)};
}

void ModelManager::end_use(const std::string& id) {
  const MutexLock lock(mutex_);
  --entries_[id].uses;
  unused_.notify_all();
}

std::vector<std::string> ModelManager::ids() const {
  const MutexLock lock(mutex_);
  return usable_ids();
}

std::vector<std::string> ModelManager::usable_ids() const {
  std::vector<std::string> names;
  for (const auto& [id, entry] : entries_) {
    if (entry.usable()) names.push_back(id);
  }
  return names;
}

Json ModelManager::list() const {
  const MutexLock lock(mutex_);
  Json models = Json::array();
  for (const auto& [id, entry] : entries_) {
    if (entry.usable()) models.push_back(entry.model->description);
  }
  return models;
}

std::pair<uint64_t, uint64_t> ModelManager::used_bytes() const {
  const MutexLock lock(mutex_);
  std::pair<uint64_t, uint64_t> sum{0, 0};
  for (const auto& [id, entry] : entries_) {
    if (entry.model == nullptr) continue;
    sum.first += entry.model->device_bytes;
    sum.second += entry.model->host_bytes;
  }
  return sum;
}

}  // namespace lh
