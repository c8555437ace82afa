#include "engine/models/model_loader.h"

#include <chrono>
#include <utility>

#include "base/text/names.h"
#include "engine/models/hook_scope.h"
#include "engine/models/lifecycle_points.h"
#include "engine/models/load_reservation.h"
#include "engine/tasks/results.h"
#include "hooks/calls/operation.h"
#include "model/device_choice.h"
#include "port/own_generator.h"

namespace lh {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int32_t kMostParallel = 64;  // that the params of ON_MODEL_LOAD can show

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Drops the events of a load that other work needs: no reader receives them.
class Silent final : public EventSink {
 public:
  bool wanted() const override { return false; }
  void deliver(const Event&, const EventOrigin*) override {}
};

}  // namespace

TaskEnd ModelLoader::load(LoadTicket& ticket, const Work& work) {
  std::atomic<const void*>& awaits_users_of = Operation::current()->awaits_users_of;
  awaits_users_of.store(ticket.shared_load.get(), std::memory_order_release);
  TaskEnd end = take_part(ticket, work);
  awaits_users_of.store(nullptr, std::memory_order_release);
  return end;
}

TaskEnd ModelLoader::take_part(LoadTicket& ticket, const Work& work) {
  if (!ticket.loads) {
    if (const auto end = joining_.wait(ticket, work)) {
      if (end->cancelled) return {failed(ticket.id, end->status)};
      return end->status.ok() ? settle(ticket, work) : failed_end(end->status, end->refused);
    }
  }
  const std::shared_ptr<Operation> operation = Operation::current();
  operation->uses.add(ticket.shared_load.get());
  Refusal refused;
  const Status status = ticket.request.params.lazy
                            ? declare(ticket, work)
                            : bring_in(ticket.id, ticket.request, work, ticket.shared_load, refused).status();
  operation->uses.remove(ticket.shared_load.get());
  if (!status.ok()) return failed_end(status, refused);
  return settle(ticket, work);
}

// Ends a load that has succeeded. A cancel from here on has no effect; after an earlier one the model is unloaded
// again, unless others want it.
TaskEnd ModelLoader::settle(const LoadTicket& ticket, const Work& work) {
  if (work.cancel.settle()) {
    const TableLock lock(parts_.table);
    const ModelEntry* const found = parts_.table.find(ticket.id);
    const bool is_there = found != nullptr && found->shared_load == ticket.shared_load && found->model;
    return {Status(), is_there ? parts_.ledger.describe(*found) : ticket.shared_load->description};
  }
  if (joining_.take_back(ticket)) static_cast<void>(parts_.unloader.unload(ticket.id, "the load was cancelled", {}));
  return {failed(ticket.id, cancelled_load(ticket.id, work.cancel))};
}

Status ModelLoader::failed(const std::string& id, Status status, uint64_t span) {
  Scope scope = scope_of_engine(id, parts_.closing);
  scope.span = span;
  parts_.dispatcher.error(scope, code_name(status.code()), status.message(), "load", false);
  return status;
}

Result<ModelTable::Use> ModelLoader::bring_back(const std::string& id, const Work& work, Refusal& refused) {
  auto claim = parts_.table.use_or_load(id, work.cancel);
  if (!claim.ok()) return claim.status();
  if (claim->model) return std::move(claim->model);
  const auto operation = Operation::current();
  operation->uses.add(claim->load);
  Silent silent;
  const auto loaded =
      bring_in(id, claim->request, Work{work.cancel, work.closing, silent, work.priority, nullptr, {}, work.span},
               nullptr, refused);
  operation->uses.remove(claim->load);
  if (!loaded.ok()) return loaded.status();
  return parts_.table.counted_use(loaded->get());
}

ModelLoader::Loaded ModelLoader::bring_in(const std::string& id, const LoadRequest& request, const Work& asking,
                                          std::shared_ptr<SharedLoad> shared_load, Refusal& refused) {
  const int uses = shared_load ? 0 : 1;  // of the work that needs it
  Trace& trace = parts_.dispatcher.trace();
  const Trace::Span span = trace.begin("model_load_started", asking.span, [&] { return Json{{"model_id", id}}; });
  Work work = asking;
  work.span = span.number;
  std::optional<LoadReservation> reservation(std::in_place, parts_.table, parts_.ledger, id, std::move(shared_load));
  auto loaded =
      request.own ? load_own(id, request, work, refused) : load_file(id, request, work, reservation->memory, refused);
  if (loaded.ok()) {
    if (Status status = bring_adapters_back(**loaded); !status.ok()) loaded = std::move(status);
  }
  if (!loaded.ok()) {
    reservation->fail(loaded.status(), refused);
    reservation.reset();  // before hooks receive the failure: they may load under the name again
    const Status status = failed(id, loaded.status(), span.number);
    trace.end("model_load_failed", span, [&] { return Json{{"model_id", id}, {"code", code_name(status.code())}}; });
    return status;
  }
  reservation->fill(*loaded, request, uses);
  parts_.dispatcher.errors().reset();
  const double load_ms = (*loaded)->description["load_ms"];
  tell_ready(parts_.dispatcher, scope_of_work(id, work), **loaded, load_ms);
  trace.end("model_loaded", span, [&] { return Json{{"model_id", id}}; });
  return loaded;
}

ModelLoader::Loaded ModelLoader::load_file(const std::string& id, const LoadRequest& request, const Work& work,
                                           MemoryLedger::Reserved& memory, Refusal& refused) {
  auto plan = parts_.planner.make_plan(id, request.path, request.params, Exactness::kAsNeeded);
  if (!plan.ok()) return plan.status();
  if (Status status = ask_hooks(id, request.path, *plan, work, refused); !status.ok()) return status;
  const auto& [files, params, need, description, adapters] = *plan;
  parts_.watch.begin_for(params);
  if (Status status = parts_.memory.reserve(id, "\"" + id + "\"", need, memory, work, refused); !status.ok()) {
    return status;
  }
  const auto start = Clock::now();
  auto generator = files->load(params, [&](float fraction) {
    joining_.tell_progress(id, fraction);
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
  model->description = describe_load(request.path, files->facts().file_bytes, gpus_of(params, parts_.runtime.devices()),
                                     model->generator->describe());
  model->description.update(
      {{"model_id", id}, {"address", nullptr}, {"load_ms", ms_since(start)}, {"pinned", params.pinned}});
  return model;
}

ModelLoader::Loaded ModelLoader::load_own(const std::string& id, const LoadRequest& request, const Work& work,
                                          Refusal& refused) {
  const auto start = Clock::now();
  LoadParams params = request.params;
  const int32_t shown = params.parallel = std::min(params.parallel, kMostParallel);
  if (Status status = ask_hooks_of_own(id, request.path, params, work, refused); !status.ok()) return status;
  if (work.cancel.cancelled()) return cancelled_load(id, work.cancel);
  if (params.parallel == shown) params.parallel = request.params.parallel;
  auto model = std::make_shared<LoadedModel>();
  model->id = id;
  model->path = request.path;
  model->params = params;
  model->generator = make_own_generator(id, request.own, params);
  model->description = model->generator->describe();
  model->description.update({{"model_id", id},
                             {"path", request.path},
                             {"address", request.path},
                             {"file_bytes", 0},
                             {"devices", Json::array()},
                             {"load_ms", ms_since(start)},
                             {"pinned", params.pinned}});
  return model;
}

Status ModelLoader::bring_adapters_back(LoadedModel& model) {
  for (const AdapterInfo& one : parts_.table.adapters_to_bring_back(model.id, model.path)) {
    const auto adapter = model.generator->load_adapter(one.id, one.path, one.scale);
    Status status = adapter.ok() ? (*adapter)() : adapter.status();  // with the model not yet counted
    if (!status.ok()) return status;
  }
  return {};
}

Status ModelLoader::ask_hooks(const std::string& id, const std::string& path, LoadPlan& plan, const Work& work,
                              Refusal& refused) {
  const auto build = [&](const auto& context) {
    context({.model_id = id,
             .path = path,
             .address = nullptr,
             .file_bytes = plan.files->facts().file_bytes,
             .params = plan.params,
             .estimate = parts_.ledger.beyond(plan.need)});
  };
  Status bad_params;
  const auto plan_anew = [&](const points::OnModelLoad::Changes& changes) {
    const auto given = changes.params();
    if (!given) return;
    const auto changed = parse_load_params(*given);
    bad_params = changed.status();
    if (!changed.ok()) return;
    auto anew = parts_.planner.make_plan(id, path, *changed, Exactness::kAlways);
    bad_params = anew.status();
    if (!anew.ok()) return;
    plan = *std::move(anew);
    changes.set_params(to_json(plan.params));
    changes.set_estimate(to_json(parts_.ledger.beyond(plan.need)));
  };
  const auto after_each = [&](DispatchResult& so_far) {
    plan_anew(points::OnModelLoad::Changes(so_far));
    return true;
  };
  const Completion complete(after_each);
  const auto asked =
      fire<points::OnModelLoad>(parts_.dispatcher, scope_of_work(id, work), build, {.complete = &complete});
  return judge(id, asked, bad_params, work, refused);
}

Status ModelLoader::ask_hooks_of_own(const std::string& id, const std::string& address, LoadParams& params,
                                     const Work& work, Refusal& refused) {
  const auto build = [&](const auto& context) {
    context({.model_id = id,
             .path = address,
             .address = address,
             .file_bytes = 0,
             .params = params,
             .estimate = MemoryUse{}});
  };
  Status bad_params;
  const auto after_each = [&](DispatchResult& so_far) {
    const points::OnModelLoad::Changes changes(so_far);
    const auto changed = changes.params();
    if (!changed) return true;
    const auto read = parse_load_params(*changed);
    bad_params = read.status();
    if (!read.ok()) return true;
    LoadParams mine = params;
    if (changed->contains("context_size")) mine.context_size = read->context_size;
    if (changed->contains("parallel")) mine.parallel = read->parallel;
    mine.pinned = read->pinned;
    LoadParams rest = *read;
    rest.context_size = mine.context_size;
    rest.parallel = mine.parallel;
    const Json wanted = to_json(rest);
    const Json possible = to_json(mine);
    for (const auto& [name, value] : wanted.items()) {
      if (same_json(value, possible.value(name, Json()))) continue;
      bad_params = unsupported(id, "the load option " + shown_field(name));
      return true;
    }
    if (mine.context_size <= 0) {
      bad_params = unsupported(id, "a " + shown_field("context_size") + " that the engine chooses");
      return true;
    }
    params = mine;
    changes.set_params(possible);
    return true;
  };
  const Completion complete(after_each);
  const auto asked =
      fire<points::OnModelLoad>(parts_.dispatcher, scope_of_work(id, work), build, {.complete = &complete});
  return judge(id, asked, bad_params, work, refused);
}

Status ModelLoader::judge(const std::string& id, const PointOutcome<points::OnModelLoad>& asked,
                          const Status& bad_params, const Work& work, Refusal& refused) {
  if (!bad_params.ok() || asked.cancelled()) refused = asked.decision();
  if (const auto veto = asked.veto()) {
    return {Code::kHookCancelled, "loading \"" + id + "\" was cancelled by the hook " + veto->by + ": " + veto->reason};
  }
  return asked.cancelled() ? cancelled_load(id, work.cancel) : bad_params;
}

// Describes the model as the load at its first use would make it. Only that load asks hooks.
Status ModelLoader::declare(const LoadTicket& ticket, const Work& work) {
  const std::string& id = ticket.id;
  std::optional<LoadReservation> reservation(std::in_place, parts_.table, parts_.ledger, id, ticket.shared_load);
  auto plan = parts_.planner.make_plan(id, ticket.request.path, ticket.request.params, Exactness::kDescribed);
  // Decided before others can use it: a model that others use is not taken back.
  Status status = work.cancel.settle() ? plan.status() : cancelled_load(id, work.cancel);
  if (!status.ok()) {
    reservation->fail(status, {});
    reservation.reset();  // before hooks receive the failure: they may use the name again
    return failed(id, std::move(status));
  }
  Json description = std::move(plan->description);
  description.update({{"model_id", id}, {"address", nullptr}, {"load_ms", 0}, {"pinned", plan->params.pinned}});
  description["measured"] = to_json(MemoryUse{});
  reservation->declare(ticket.request, std::move(description));
  return {};
}

}  // namespace lh
