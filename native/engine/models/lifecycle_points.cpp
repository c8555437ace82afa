#include "engine/models/lifecycle_points.h"

#include "engine/memory/memory_plan.h"
#include "engine/models/hook_scope.h"

namespace lh {

void tell_ready(const Dispatcher& dispatcher, const Scope& scope, const LoadedModel& model, double load_ms) {
  const auto build = [&](std::string& out) {
    const Json& d = model.description;
    append_members(out, {{"model_id", model.id},
                         {"path", model.path},
                         {"load_ms", load_ms},
                         {"devices", d["devices"]},
                         {"measured", d["measured"]},
                         {"n_ctx", d["context_size"]},
                         {"architecture", d["architecture"]}});
  };
  static_cast<void>(dispatcher.fire(LH_HOOK_ON_MODEL_READY, scope, build));
}

void tell_unloaded(const Dispatcher& dispatcher, CancelFlag& closing, const LoadedModel& model, const MemoryUse& freed,
                   const std::string& reason) {
  static_cast<void>(dispatcher.fire(LH_HOOK_ON_MODEL_UNLOAD, scope_of_engine(model.id, closing), [&](std::string& out) {
    Json bytes = to_json(freed);
    bytes["measured"] = true;
    append_members(out, {{"model_id", model.id}, {"path", model.path}, {"reason", reason}, {"freed", bytes}});
  }));
  dispatcher.trace().tell("model_unloaded", [&] { return Json{{"model_id", model.id}, {"reason", reason}}; });
}

}  // namespace lh
