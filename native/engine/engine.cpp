#include "engine/engine.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/system/time_us.h"
#include "base/system/unique_id.h"
#include "base/text/names.h"
#include "engine/tasks/render_prompt.h"
#include "engine/tasks/results.h"
#include "generation/call_trace.h"
#include "generation/model_call.h"
#include "hooks/calls/call.h"
#include "hooks/calls/operation.h"
#include "isolation/client/child_runtime.h"
#include "isolation/client/rpc_servers.h"
#include "llama/llama_runtime.h"

namespace lh {
namespace {

// Runs of a lane beyond the sequences of its model: they prepare prompts and wait for hooks while others decode, so
// that the decoder never idles for lack of a thread.
constexpr size_t kPlacesBeyondSequences = 8;

Status check_rpc(const EngineOptions& options) {
  if (!options.rpc || options.rpc->empty()) return {};
  // The backend ends its process when a server fails.
  if (options.isolation == Isolation::kNone) {
    return {Code::kInvalidArgument, "options.rpc needs isolation \"process\": a server that fails ends the process"};
  }
  if (options.rpc_module.empty()) {
    return {Code::kInvalidArgument, "options.rpc needs " + shown_field("rpc_module") + ", the path of llama_hooks_rpc"};
  }
  return check_rpc_servers(*options.rpc, "options.rpc");
}

Result<std::shared_ptr<ModelRuntime>> make_runtime(const EngineOptions& options) {
  if (Status status = check_rpc(options); !status.ok()) return status;
  if (options.isolation == Isolation::kNone) return make_llama_runtime({options.libraries, options.gpu_module});
  if (options.host_program.empty()) {
    return Status(Code::kInvalidArgument,
                  "isolation \"process\" needs " + shown_field("host_program") + ", the path of llama_hooks_host");
  }
  return make_child_runtime(
      {{options.host_program, options.libraries, environment_now(), std::chrono::milliseconds(options.step_timeout_ms)},
       options.gpu_module,
       options.rpc_module,
       options.rpc.value_or(std::vector<std::string>())});
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(const EngineOptions& options) {
  auto runtime = make_runtime(options);
  if (!runtime.ok()) return runtime.status();
  const std::vector<Device> devices = (*runtime)->devices();
  ModelManager::Limits limits;
  limits.offload = options.gpu && std::ranges::any_of(devices, &Device::is_gpu);
  auto budgets = ModelManager::budgets_of(options, devices);
  if (!budgets.ok()) return budgets.status();
  limits.budgets = *std::move(budgets);
  limits.low_memory = bytes_of_mib(options.low_memory);
  return std::unique_ptr<Engine>(new Engine(*std::move(runtime), limits, options));
}

void Engine::set_trace(lh_trace_fn sink, void* user_data) {
  if (sink == nullptr) return trace().set_sink(nullptr);
  trace().set_sink([sink, user_data](const Json& event) { sink(dump_json(event).c_str(), user_data); });
}

Status Engine::check_open() const {
  const MutexLock lock(mutex_);
  return closed_ ? Status(Code::kClosed, kClosedMessage) : Status();
}

Engine::TaskResult Engine::start(const lh_task_callbacks& callbacks, Task::Kind kind, FunctionRef<Status()> admit,
                                 FunctionRef<void()> undo, Task::Body body,
                                 FunctionRef<const void*()> awaits_users_of) {
  const MutexLock lock(mutex_);
  if (closed_) return Status(Code::kClosed, kClosedMessage);
  if (Status status = admit(); !status.ok()) return status;
  try {
    TaskResult begun = begin(callbacks, kind, std::move(body), awaits_users_of());
    if (!begun.ok()) undo();
    return begun;
  } catch (...) {
    undo();
    throw;
  }
}

Engine::TaskResult Engine::begin(const lh_task_callbacks& callbacks, Task::Kind kind, Task::Body body,
                                 const void* awaits_users_of) {
  const auto task = Task::make(callbacks, kind, std::move(body), [this](Task* ended) { task_ended(ended); });
  task->will_await_users_of(awaits_users_of);
  if (Status status = launch_listed(task); !status.ok()) return status;
  return task;
}

// Listed before it runs: once it runs nothing may fail, or its caller would believe that it never began.
Status Engine::launch_listed(const std::shared_ptr<Task>& task) {
  const auto place = tasks_.insert(task).first;
  try {
    Status status = task->launch();
    if (!status.ok()) tasks_.erase(place);
    return status;
  } catch (...) {
    tasks_.erase(place);
    throw;
  }
}

void Engine::task_ended(const Task* task) {
  std::shared_ptr<Task> next;
  {
    const MutexLock lock(mutex_);
    std::erase_if(tasks_, [task](const auto& other) { return other.get() == task; });
    next = queue_.leave(task);
    changed_.notify_all();
  }
  // The engine may be gone by now, unless there is a next task, for which it waits.
  if (next) launch(next);
}

// The turn may come because a close has ended the tasks before it, and before the close reaches this task.
void Engine::launch(const std::shared_ptr<Task>& task) {
  if (const Status open = check_open(); !open.ok()) task->cancel(open.message(), open.code());
  if (Status status = task->launch(); !status.ok()) task->refuse(status);
}

void Engine::cancelled_while_waiting(const Task* task) {
  std::shared_ptr<Task> next;
  {
    const MutexLock lock(mutex_);
    next = queue_.hurry(task);
  }
  if (next) launch(next);
}

Engine::TaskResult Engine::load(const std::string& id, LoadRequest request, const lh_task_callbacks& callbacks) {
  const std::shared_ptr<ModelManager::LoadTicket> ticket(new ModelManager::LoadTicket(id, std::move(request)));
  return start(
      callbacks, Task::Kind::kWork, [&] { return models_.reserve(*ticket); },
      [&] { models_.drop_reservation(*ticket); },
      [this, ticket](Task& task) {
        return models_.load(*ticket, {task.cancel_flag(), closing_, task});
      },
      [&]() -> const void* { return ticket->loads ? nullptr : ticket->shared_load.get(); });
}

Engine::TaskResult Engine::add(const std::string& id, const std::shared_ptr<OwnModel>& model,
                               const lh_task_callbacks& callbacks) {
  LoadRequest request{model->description().address, {}, model};
  request.params.context_size = model->description().context_size;
  request.params.parallel = model->description().parallel;
  return load(id, std::move(request), callbacks);
}

Engine::TaskResult Engine::estimate(LoadRequest request, const lh_task_callbacks& callbacks) {
  return start(
      callbacks, Task::Kind::kWork, [] { return Status(); }, [] {},
      [this, request = std::move(request)](Task&) { return models_.estimate(request); });
}

Engine::TaskResult Engine::tokenize(const std::string& model_id, TokenizeOptions request,
                                    const lh_task_callbacks& callbacks) {
  auto model = models_.use(model_id);
  if (!model.ok()) return model.status();
  return start(
      callbacks, Task::Kind::kWork, [] { return Status(); }, [] {},
      [model = *std::move(model), request = std::move(request)](Task& task) -> TaskEnd {
        auto tokens =
            model->generator->tokenize(request.text, request.add_special, request.parse_special, &task.cancel_flag());
        if (!tokens.ok()) return {tokens.status()};
        return {Status(), {{"tokens", *std::move(tokens)}}};
      });
}

Engine::TaskResult Engine::render_prompt(const std::string& model_id, RenderRequest request,
                                         const lh_task_callbacks& callbacks) {
  auto model = models_.use(model_id);
  if (!model.ok()) return model.status();
  return start(
      callbacks, Task::Kind::kWork, [] { return Status(); }, [] {},
      [model = *std::move(model), request = std::move(request)](Task& task) -> TaskEnd {
        auto prompt = lh::render_prompt(*model->generator, request, &task.cancel_flag());
        if (!prompt.ok()) return {prompt.status()};
        return {Status(), *std::move(prompt)};
      });
}

Engine::TaskResult Engine::unload(const std::string& id, std::string reason, const lh_task_callbacks& callbacks) {
  return start(
      callbacks, Task::Kind::kWaitsForWork, [&] { return models_.begin_unload(id); },
      [&] { models_.cancel_unload(id); },
      [this, id, reason](Task&) {
        auto unloaded = models_.finish_unload(id, reason, patience_);
        return unloaded.ok() ? TaskEnd{Status(), *std::move(unloaded)} : TaskEnd{unloaded.status()};
      });
}

Engine::TaskResult Engine::generate(GenerateRequest request, const lh_task_callbacks& callbacks) {
  const MutexLock lock(mutex_);
  if (closed_) return Status(Code::kClosed, kClosedMessage);
  auto wanted = models_.want(request.model);
  if (!wanted.ok()) return wanted.status();
  const int32_t priority = request.priority;
  const auto held = std::make_shared<GenerateRequest>(std::move(request));
  const std::string run_id = "run-" + unique_id();
  ModelWork work;
  work.body = [this, held, run_id](const ModelManager::Use& model, Task& task) {
    return run_generation(std::move(*held), run_id, model, task);
  };
  work.stopped = [held, run_id, model_id = wanted->id](const Status&, Task& task) {
    Scope scope;
    scope.run_id = run_id;
    scope.model_id = model_id;
    ModelAnswer answer;
    answer.finish_reason = FinishReason::kCancelled;
    answer.cancel = Stop{kCaller, task.cancel_flag().reason()};
    return generation_end(scope, answer);
  };
  const Line line = line_of_generations(*wanted, priority);
  return enqueue(*std::move(wanted), line, callbacks, std::move(work));
}

Engine::Line Engine::line_of_generations(const ModelManager::Wanted& model, int32_t priority) {
  return {RunQueue::Work::kGenerate, model.parallel + kPlacesBeyondSequences, priority};
}

Engine::TaskResult Engine::enqueue(ModelManager::Wanted model, const Line& line, const lh_task_callbacks& callbacks,
                                   ModelWork work) {
  // Owned by the task's body: the model is released, and the flag no longer listened to, before the end is reported.
  struct Held {
    ModelManager::Wanted model;
    ModelWork work;
    std::optional<CancelListener> listening;  // during the wait for its turn; without effect afterwards
  };
  const auto held = std::make_shared<Held>();
  held->model = std::move(model);
  held->work = std::move(work);
  RunQueue::Entrant entrant;
  entrant.model_id = held->model.id;
  entrant.level = Call::level_here();
  entrant.priority = line.priority;
  entrant.places = line.places;
  entrant.work = line.work;
  const auto task = entrant.task = Task::make(
      callbacks, Task::Kind::kWork,
      [this, held, priority = line.priority](Task& self) {
        if (held->model.model == nullptr) {
          TaskEnd failed = load_again(held->model, priority, held->work, self);
          if (held->model.model == nullptr) return failed;
        }
        ModelManager::enter_use(*Operation::current(), *held->model.model);
        return held->work.body(held->model.model, self);
      },
      [this](Task* ended) { task_ended(ended); });
  const auto turn = queue_.enter(entrant);
  if (!turn.ok()) return turn.status();
  try {
    if (*turn == RunQueue::Turn::kLater) {
      // A task that began cancelled is already where a cancel would put it; its listener would be called under the
      // lock.
      if (!task->cancel_flag().cancelled()) {
        held->listening.emplace(task->cancel_flag(),
                                [this, waiting = task.get()] { cancelled_while_waiting(waiting); });
      }
      tasks_.insert(task);
      return task;
    }
    if (Status status = launch_listed(task); !status.ok()) {
      queue_.drop(task.get());
      return status;
    }
  } catch (...) {
    held->listening.reset();  // before the task that it listens to is gone
    queue_.drop(task.get());
    throw;
  }
  return task;
}

// The end of the work if the model cannot be loaded again.
TaskEnd Engine::load_again(ModelManager::Wanted& model, int32_t priority, const ModelWork& work, Task& task) {
  Refusal refused;
  auto loaded = models_.bring_back(model.id, {task.cancel_flag(), closing_, task, priority}, refused);
  if (loaded.ok()) {
    model.model = *std::move(loaded);
    return {};
  }
  const CancelFlag& cancel = task.cancel_flag();
  const bool stopped = cancel.cancelled() && loaded.status().code() == cancel.why();
  return stopped ? work.stopped(loaded.status(), task) : failed_end(loaded.status(), refused);
}

TaskEnd Engine::run_generation(GenerateRequest request, const std::string& run_id, const ModelManager::Use& model,
                               Task& task) {
  const auto began = Trace::Clock::now();
  const auto about = [&] {
    Json fields = {{"run_id", run_id}, {"model_id", model->id}, {"queue_ms", milliseconds(began - task.made_at())}};
    add_call_begin(fields, request.call);
    return fields;
  };
  const Trace::Span span = trace().begin("generation_started", 0, about, began);
  Scope scope;
  scope.run_id = run_id;
  scope.model_id = model->id;
  scope.tier = request.tier;
  scope.tags = request.tags;
  scope.span = span.number;
  if (request.hooks != nullptr) scope.owners.run = request.hooks->owner();
  const Work work{task.cancel_flag(), closing_, task, request.priority, nullptr, task.made_at(), span.number};
  ModelUse use{model->id, {model, model->generator.get()}};
  request.call.models = &models_;
  const ModelAnswer answer =
      ModelCall(registry_.dispatcher, std::move(use), scope, std::move(request.call), work).run();
  trace().end("generation_ended", span, [&] {
    Json fields = {{"run_id", run_id}};
    add_call_end(fields, answer);
    return fields;
  });
  return generation_end(scope, answer);
}

}  // namespace lh
