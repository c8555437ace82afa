#include "engine/models/model_manager.h"

#include <initializer_list>

#include "base/system/heap.h"
#include "base/system/time_us.h"
#include "engine/models/shared_load.h"

namespace lh {
namespace {

// Work that nobody is told of: a load that another piece of work needs.
class Silent final : public EventSink {
 public:
  bool wanted() const override { return false; }
  void deliver(const Event&, const EventOrigin*) override {}
};

}  // namespace

Scope ModelManager::free_scope(const std::string& id) const {
  Scope scope;
  scope.model_id = id;
  scope.closing = &closing_;
  return scope;
}

Status ModelManager::may_wait_for(const void* thing, const std::string& what) {
  if (Call::depth_here() > 0 && Operation::held_up([thing](const Operation& one) { return one.uses.has(thing); })) {
    return Status(Code::kReentrant, what + " would wait for the work that this hook holds up");
  }
  return {};
}

Status ModelManager::begin_unload(const std::string& id) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || !found->second.known()) {
    return Status(Code::kModelNotLoaded, "no model named \"" + id + "\" is loaded");
  }
  return mark_unloading(found->second, id);
}

Status ModelManager::mark_unloading(Entry& entry, const std::string& id) {
  // Who works with it uses the model; who loads it for that the entry, or the load that was asked for by name.
  const bool is_loading = entry.state == State::kLoading;
  const std::initializer_list<const void*> things = {entry.model.get(), &entry,
                                                     is_loading ? entry.shared_load.get() : nullptr};
  for (const void* thing : things) {
    if (thing == nullptr) continue;
    if (Status status = may_wait_for(thing, "unloading \"" + id + "\""); !status.ok()) return status;
  }
  entry.is_to_go = true;
  if (!is_loading && entry.state != State::kEvicting) entry.state = State::kUnloading;
  return {};
}

void ModelManager::cancel_unload(const std::string& id) {
  const MutexLock lock(mutex_);
  Entry& entry = entries_[id];
  entry.is_to_go = false;
  if (entry.state == State::kUnloading) entry.state = entry.model ? State::kReady : State::kCold;
}

Json ModelManager::finish_unload(const std::string& id, const std::string& reason) {
  Leaving leaving;
  {
    MutexLock lock(mutex_);
    while (entries_[id].state != State::kUnloading || entries_[id].uses != 0) lock.wait(changed_);
    if (entries_[id].model) leaving = leave(entries_[id]);
    entries_.erase(id);
    changed_.notify_all();
  }
  Json result = {{"model_id", id}, {"freed", to_json(leaving.freed)}};
  if (leaving.model == nullptr) return result;  // it was given up, and that was told then
  free_memory(leaving);
  tell_unloaded(leaving, reason);
  return result;
}

ModelManager::Leaving ModelManager::leave(Entry& entry) {
  MemoryUse freed = held().freed_with(entry.model->generator->memory());
  return {std::move(entry.model), std::move(freed)};
}

void ModelManager::free_memory(const Leaving& leaving) {
  leaving.model->generator.reset();
  trim_heap();
}

// Nothing may wait for the end of this: a hook may use the model, which then is loaded again.
void ModelManager::tell_unloaded(const Leaving& leaving, const std::string& reason) {
  const auto& model = leaving.model;
  static_cast<void>(dispatcher_.fire(LH_HOOK_ON_MODEL_UNLOAD, free_scope(model->id), [&](std::string& out) {
    Json bytes = to_json(leaving.freed);
    bytes["measured"] = true;
    append_members(out, {{"model_id", model->id}, {"path", model->path}, {"reason", reason}, {"freed", bytes}});
  }));
  dispatcher_.trace().tell("model_unloaded", [&] { return Json{{"model_id", model->id}, {"reason", reason}}; });
}

Result<ModelManager::Entries::iterator> ModelManager::find(const std::string& id) {
  if (!id.empty()) {
    const auto found = entries_.find(id);
    if (found != entries_.end() && found->second.known()) return found;
    return Status(Code::kModelNotLoaded, "no model named \"" + id + "\" is loaded");
  }
  auto only = entries_.end();
  for (auto one = entries_.begin(); one != entries_.end(); ++one) {
    if (!one->second.known()) continue;
    if (only != entries_.end()) {
      return Status(Code::kModelNotLoaded, "several models are loaded: the request must name one");
    }
    only = one;
  }
  if (only == entries_.end()) return Status(Code::kModelNotLoaded, "no model is loaded");
  return only;
}

ModelManager::Use ModelManager::count_use(Entries::iterator entry) {
  ++entry->second.uses;
  return use_of(entry->second.model.get());
}

// Of a use that was counted: the table holds the model until it has ended.
ModelManager::Use ModelManager::use_of(LoadedModel* model) {
  return {model, [this](LoadedModel* one) { end_use(one->id); }};
}

Result<ModelManager::Use> ModelManager::use(const std::string& id) {
  const MutexLock lock(mutex_);
  const auto found = find(id);
  if (!found.ok()) return found.status();
  if ((*found)->second.usable()) return count_use(*found);
  return Status(Code::kModelNotLoaded, "\"" + (*found)->first + "\" is cold, and is not loaded before it is used");
}

Result<ModelManager::Wanted> ModelManager::want(const std::string& id) {
  const MutexLock lock(mutex_);
  const auto found = find(id);
  if (!found.ok()) return found.status();
  const auto& [name, entry] = **found;
  const auto parallel = entry.description["parallel"].get<size_t>();
  if (entry.usable()) return Wanted{name, parallel, count_use(*found)};
  // Who does the load uses the entry, or the load that was asked for by name.
  const void* const load = entry.shared_load.get();
  if (Call::depth_here() > 0 && Operation::held_up([&entry = entry, load](const Operation& one) {
        return one.uses.has(&entry) || (load != nullptr && one.uses.has(load));
      })) {
    return Status(Code::kReentrant, "using \"" + name + "\" would wait for the load that this hook holds up");
  }
  return Wanted{name, parallel, nullptr};
}

Result<ModelManager::Use> ModelManager::bring_back(const std::string& id, const Work& work, Refusal& refused) {
  const CancelListener listening(work.cancel, mutex_, changed_);
  LoadRequest request;
  const Entry* mine = nullptr;
  {
    MutexLock lock(mutex_);
    for (;;) {
      if (work.cancel.cancelled()) return cancelled_load(id, work.cancel);
      const auto found = find(id);
      if (!found.ok()) return found.status();
      Entry& entry = (*found)->second;
      if (entry.usable()) return count_use(*found);
      if (entry.state == State::kCold) {
        entry.state = State::kLoading;
        request = *entry.request;
        mine = &entry;
        break;
      }
      lock.wait(changed_);
    }
  }
  const auto operation = Operation::current();
  operation->uses.add(mine);
  Silent silent;
  const auto loaded = bring_in(id, request, Work{work.cancel, work.closing, silent, work.priority}, nullptr, refused);
  operation->uses.remove(mine);
  if (!loaded.ok()) return loaded.status();
  return use_of(loaded->get());
}

void ModelManager::enter_use(Operation& work, const LoadedModel& model) {
  work.uses.add(&model);
  if (model.shared_load) work.uses.add(model.shared_load.get());  // who asked for the load may yet take it back
}

void ModelManager::leave_use(Operation& work, const LoadedModel& model) {
  work.uses.remove(&model);
  if (model.shared_load) work.uses.remove(model.shared_load.get());
}

Result<ModelUse> ModelManager::acquire(const std::string& id, const Work& work, Refusal& refused) {
  auto wanted = want(id);
  if (!wanted.ok()) return wanted.status();
  Use use = std::move(wanted->model);
  if (use == nullptr) {
    auto loaded = bring_back(wanted->id, work, refused);
    if (!loaded.ok()) return loaded.status();
    use = *std::move(loaded);
  }
  // For as long as it is in use: unloading it from a hook of this work would wait for the work.
  const auto operation = Operation::current();
  if (operation) enter_use(*operation, *use);
  std::shared_ptr<Generator> generator(use->generator.get(), [operation, use](Generator*) {
    if (operation) leave_use(*operation, *use);
  });
  return ModelUse{use->id, std::move(generator)};
}

Status ModelManager::known(const std::string& id) {
  const MutexLock lock(mutex_);
  return find(id).status();
}

void ModelManager::end_use(std::string id) {
  const MutexLock lock(mutex_);
  Entry& entry = entries_[id];
  --entry.uses;
  entry.last_used_us = time_us();
  changed_.notify_all();
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
    if (entry.request) models.push_back(told(entry));
  }
  return models;
}

Result<Json> ModelManager::describe(const std::string& id) {
  const MutexLock lock(mutex_);
  const auto found = find(id);
  if (!found.ok()) return found.status();
  return told((*found)->second);
}

const char* ModelManager::state_name(State state) {
  switch (state) {
    case State::kLoading: return "loading";
    case State::kReady: return "ready";
    case State::kCold: return "cold";
    case State::kEvicting:
    case State::kUnloading: return "unloading";
  }
  return "";
}

// Weights that several have are counted with the one that was loaded first.
Json ModelManager::told(const Entry& entry) const {
  Json json = entry.description;
  json["state"] = state_name(entry.state);
  Json& sharing = json["shares_weights_with"] = Json::array();
  json["memory"] = Json::array();
  if (!entry.model) return json;
  const MemoryFootprint mine = entry.model->generator->memory();
  FootprintSum earlier;
  for (const auto& [id, other] : entries_) {
    if (!other.model || other.model == entry.model) continue;
    const MemoryFootprint theirs = other.model->generator->memory();
    if (have_common_weights(mine, theirs)) sharing.push_back(id);
    if (other.model->number < entry.model->number) earlier.add(theirs);
  }
  json["memory"] = by_device(earlier.beyond(mine));
  return json;
}

}  // namespace lh
