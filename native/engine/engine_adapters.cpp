// The parts of Engine that load, unload and swap adapters.
#include <utility>

#include "engine/engine.h"
#include "engine/tasks/results.h"

namespace lh {
namespace {

// Reports a failure of begun work as an error. A cancel by the caller is not an error.
TaskEnd told(const Dispatcher& dispatcher, const Scope& scope, TaskEnd end) {
  const Code code = end.status.code();
  if (!end.status.ok() && code != Code::kCancelled && code != Code::kClosed) {
    dispatcher.error(scope, code_name(code), end.status.message(), "adapter", false);
  }
  return end;
}

// The end of work whose model is not available. A failed load has already reported its error.
TaskEnd without_model(const Dispatcher& dispatcher, const Scope& scope, const Status& status, const Refusal& refused) {
  const bool loads = status.code() != Code::kModelNotLoaded && status.code() != Code::kReentrant;
  return loads ? failed_end(status, refused) : told(dispatcher, scope, {status});
}

}  // namespace

Engine::TaskResult Engine::load_adapter(const std::string& id, AdapterRequest request,
                                        const lh_task_callbacks& callbacks) {
  return start(
      callbacks, Task::Kind::kWork, [&] { return adapters_.reserve(id); }, [&] { adapters_.drop_reservation(id); },
      [this, id, request = std::move(request)](Task& task) {
        const Work work{task.cancel_flag(), closing_, task};
        Scope scope;
        scope.closing = &closing_;
        TaskEnd end;
        {
          const std::shared_ptr<void> reserved(nullptr, [&](void*) { adapters_.drop_reservation(id); });
          Refusal refused;
          const auto model = models_.acquire(request.model, work, refused);
          if (!model.ok()) return without_model(registry_.dispatcher, scope, model.status(), refused);
          scope.model_id = model->id;
          end = adapters_.load(id, request, *model, work);
        }
        return told(registry_.dispatcher, scope, std::move(end));
      });
}

Engine::TaskResult Engine::unload_adapter(const std::string& id, const lh_task_callbacks& callbacks) {
  const auto held = std::make_shared<ModelManager::Use>();
  return start(
      callbacks, Task::Kind::kWaitsForWork,
      [&]() -> Status {
        if (models_.forget_adapter(id)) return {};
        auto model = adapters_.model_of(id);
        // Evicted between the two calls.
        if (model.status().code() == Code::kModelNotLoaded && models_.forget_adapter(id)) return {};
        if (!model.ok()) return model.status();
        *held = *std::move(model);
        return ModelManager::may_wait_for((*held)->generator.get(), "unloading the adapter \"" + id + "\"");
      },
      [] {},
      [id, held](Task&) {
        if (*held == nullptr) return TaskEnd{Status(), {{"adapter_id", id}}};
        Status status = (*held)->generator->unload_adapter(id);
        held->reset();  // before the end is reported, because its receiver may unload the model
        return TaskEnd{std::move(status), {{"adapter_id", id}}};
      });
}

Engine::TaskResult Engine::swap_adapters(const std::string& session_id, std::vector<AdapterChoice> choices,
                                         const lh_task_callbacks& callbacks) {
  const auto session = this->session(session_id);
  if (!session.ok()) return session.status();
  return start(
      callbacks, Task::Kind::kWork, [] { return Status(); }, [] {},
      [this, session = *session, choices = std::move(choices)](Task& task) {
        const Work work{task.cancel_flag(), closing_, task};
        Scope scope;
        scope.session_id = session->id();
        scope.closing = &closing_;
        Refusal refused;
        const auto model = models_.acquire(session->model(), work, refused);
        if (!model.ok()) return without_model(registry_.dispatcher, scope, model.status(), refused);
        scope.model_id = model->id;
        std::vector<Decision> decisions;
        const auto active = session->swap_adapters(choices, *model, work, decisions);
        TaskEnd end{active.status()};
        if (active.ok()) end.json["adapters"] = to_json(*active);
        tell_refusal(end, decisions);
        return told(registry_.dispatcher, scope, std::move(end));
      });
}

}  // namespace lh
