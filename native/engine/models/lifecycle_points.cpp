#include "engine/models/lifecycle_points.h"

#include "engine/memory/memory_plan.h"
#include "engine/models/hook_scope.h"
#include "hooks/dispatch/fire.h"
#include "hooks/dispatch/points_load.h"

namespace lh {

void tell_ready(const Dispatcher& dispatcher, const Scope& scope, const LoadedModel& model, double load_ms) {
  notify<points::OnModelReady>(dispatcher, scope, [&](const auto& context) {
    const Json& d = model.description;
    context({.model_id = model.id,
             .path = model.path,
             .load_ms = load_ms,
             .devices = d["devices"],
             .measured = d["measured"],
             .n_ctx = d["context_size"].get<int64_t>(),
             .architecture = d["architecture"].get_ref<const std::string&>()});
  });
}

void tell_unloaded(const Dispatcher& dispatcher, CancelFlag& closing, const LoadedModel& model, const MemoryUse& freed,
                   const std::string& reason) {
  notify<points::OnModelUnload>(dispatcher, scope_of_engine(model.id, closing), [&](const auto& context) {
    Json bytes = to_json(freed);
    bytes["measured"] = true;
    context({.model_id = model.id, .path = model.path, .reason = reason, .freed = bytes});
  });
  dispatcher.trace().tell("model_unloaded", [&] { return Json{{"model_id", model.id}, {"reason", reason}}; });
}

}  // namespace lh
