#include "engine/engine.h"

#include <exception>
#include <utility>
#include <vector>

#include "engine/generation.h"
#include "inference/llama_runtime.h"

namespace lh {
namespace {

constexpr const char* kClosedMessage = "the engine is closed";

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(const EngineOptions& options) {
  if (Status status = init_runtime({options.libraries, options.gpu_module}); !status.ok()) return status;
  return std::unique_ptr<Engine>(new Engine(options.gpu && has_gpu()));
}

Engine::~Engine() {
  close_everything();
  MutexLock lock(mutex_);
  while (closers_ != 0) lock.wait(changed_);
}

void Engine::set_trace(lh_trace_fn sink, void* user_data) {
  if (sink == nullptr) {
    registry_.dispatcher.set_sink(nullptr);
    trace_.set(nullptr);
    return;
  }
  trace_.set([sink, user_data](const char* event) { sink(event, user_data); });
  registry_.dispatcher.set_sink([this](const Decision& decision) { trace(to_json(decision)); });
}

void Engine::trace(const Json& event) {
  if (trace_.present()) trace_.call(dump_json(event).c_str());
}

Status Engine::check_open() const {
  const MutexLock lock(mutex_);
  return closed_ ? Status(Code::kClosed, kClosedMessage) : Status();
}

Engine::TaskResult Engine::start(const lh_task_callbacks& callbacks, Task::Kind kind, FunctionRef<Status()> admit,
                                 FunctionRef<void()> undo, Task::Body body) {
  const MutexLock lock(mutex_);
  if (closed_) return Status(Code::kClosed, kClosedMessage);
  if (Status status = admit(); !status.ok()) return status;
  const auto on_done = [this](Task* ended) {
    const MutexLock done(mutex_);
    std::erase_if(tasks_, [ended](const auto& task) { return task.get() == ended; });
    changed_.notify_all();
  };
  try {
    return *tasks_.insert(Task::start(callbacks, kind, std::move(body), on_done)).first;
  } catch (const std::exception& error) {
    undo();
    return Status(Code::kInternal, std::string("no thread can be had: ") + error.what());
  }
}

Engine::TaskResult Engine::load(const std::string& id, LoadRequest request, const lh_task_callbacks& callbacks) {
  return start(callbacks, Task::Kind::kWork, [&] { return models_.reserve(id); }, [&] { models_.drop_reservation(id); },
               [this, id, request = std::move(request)](Task& task) {
                 TaskEnd end = models_.load(id, request, task);
                 if (end.status.ok()) trace({{"type", "lifecycle"}, {"event", "model_loaded"}, {"model_id", id}});
                 return end;
               });
}

Engine::TaskResult Engine::unload(const std::string& id, std::string reason, const lh_task_callbacks& callbacks) {
  return start(callbacks, Task::Kind::kWaitsForWork, [&] { return models_.begin_unload(id); },
               [&] { models_.cancel_unload(id); },
               [this, id, reason](Task&) {
                 unload_model(id, reason);
                 return TaskEnd{Status(), {{"model_id", id}}};
               });
}

void Engine::unload_model(const std::string& id, const std::string& reason) {
  models_.finish_unload(id, reason);
  trace({{"type", "lifecycle"}, {"event", "model_unloaded"}, {"model_id", id}, {"reason", reason}});
}

Engine::TaskResult Engine::generate(GenerateRequest request, const lh_task_callbacks& callbacks) {
  const std::string run_id = "run-" + std::to_string(++run_number_);
  // The body holds the model through this, and gives it up before the task ends.
  const auto model = std::make_shared<ModelManager::Use>();
  const auto admit = [&, id = request.model]() -> Status {  // the request itself moves into the body
    auto used = models_.use(id);
    if (!used.ok()) return used.status();
    *model = *std::move(used);
    return {};
  };
  const auto undo = [&] { model->reset(); };
  return start(callbacks, Task::Kind::kWork, admit, undo, [this, model, run_id, request = std::move(request)](Task& task) {
    const ModelManager::Use use = std::move(*model);
    trace({{"type", "lifecycle"}, {"event", "generation_started"}, {"run_id", run_id}, {"model_id", use->id}});
    TaskEnd end = Generation(registry_.dispatcher, use, request, run_id, task, closing_).run();
    Json event = {{"type", "lifecycle"}, {"event", "generation_ended"}, {"run_id", run_id}};
    if (end.status.ok()) {
      event["finish_reason"] = end.json["finish_reason"];
      event["usage"] = end.json["usage"];
    } else {
      event["code"] = code_name(end.status.code());
    }
    trace(event);
    return end;
  });
}

std::shared_ptr<Task> Engine::close(const lh_task_callbacks& callbacks) {
  const MutexLock lock(mutex_);
  closed_ = true;  // from now on, not from when the task's thread comes to it
  auto task = Task::start(callbacks, Task::Kind::kWaitsForWork,
                          [this](Task&) {
                            close_everything();
                            const MutexLock done(mutex_);
                            --closers_;
                            changed_.notify_all();
                            return TaskEnd{};
                          },
                          [](Task*) {});
  ++closers_;  // its thread cannot take it back before this lock is free
  return task;
}

void Engine::close_everything() {
  closing_.cancel(kClosedMessage);
  std::vector<std::shared_ptr<Task>> running;
  {
    MutexLock lock(mutex_);
    closed_ = true;
    if (std::exchange(emptying_, true)) {  // someone does this, or has done it
      while (!emptied_) lock.wait(changed_);
      return;
    }
    running.assign(tasks_.begin(), tasks_.end());
  }
  for (const auto& task : running) task->cancel(kClosedMessage);  // runs listeners, so not under the lock
  running.clear();
  {
    MutexLock lock(mutex_);
    while (!tasks_.empty()) lock.wait(changed_);
  }
  for (const std::string& id : models_.ids()) {
    if (models_.begin_unload(id).ok()) unload_model(id, "closed");
  }
  const MutexLock lock(mutex_);
  emptied_ = true;
  changed_.notify_all();
}

Json Engine::memory() const {
  const auto [device_used, host_used] = models_.used_bytes();
  Json list = Json::array();
  for (const Device& device : devices()) {
    const uint64_t used = device.is_gpu() ? device_used : device.type == DeviceType::kCpu ? host_used : 0;
    list.push_back({{"device", device.name},
                    {"type", device_type_name(device.type)},
                    {"total_bytes", device.total_bytes},
                    {"free_bytes", device.free_bytes},
                    {"used_bytes", used}});
  }
  return list;
}

}  // namespace lh
