#include "engine/models/model_table.h"

#include <algorithm>
#include <initializer_list>

#include "base/system/time_us.h"
#include "hooks/calls/call.h"
#include "hooks/calls/operation.h"

namespace lh {
namespace {

constexpr size_t kMostNamed = 10;

}  // namespace

Status may_wait_for_users_of(const void* thing, const std::string& what) {
  if (Call::depth_here() > 0 && Operation::held_up([thing](const Operation& one) { return one.uses.has(thing); })) {
    return Status(Code::kReentrant, what + " would wait for the work that this hook holds up");
  }
  return {};
}

Status ModelTable::known(const std::string& id) const {
  const TableLock lock(*this);
  return find_known(id).status();
}

const ModelEntry* ModelTable::find(const std::string& id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second;
}

std::shared_ptr<LoadedModel> ModelTable::find_loaded(const Generator& generator) const {
  for (const auto& [id, entry] : entries_) {
    if (entry.model && entry.model->generator.get() == &generator) return entry.model;
  }
  return nullptr;
}

std::string ModelTable::known_names() const {
  std::string names;
  size_t count = 0;
  for (const auto& [id, entry] : entries_) {
    if (!entry.known() || ++count > kMostNamed) continue;
    names += (names.empty() ? "\"" : ", \"") + id + "\"";
  }
  return count > kMostNamed ? names + " and " + std::to_string(count - kMostNamed) + " more" : names;
}

Status ModelTable::not_loaded(const std::string& id) const {
  const std::string others = known_names();
  return {Code::kModelNotLoaded,
          "no model named \"" + id + "\" is loaded; " + (others.empty() ? "no other is, either" : "loaded: " + others)};
}

Result<const ModelTable::Entries::value_type*> ModelTable::find_known(const std::string& id) const {
  if (!id.empty()) {
    const auto found = entries_.find(id);
    if (found != entries_.end() && found->second.known()) return &*found;
    return not_loaded(id);
  }
  const Entries::value_type* only = nullptr;
  for (const auto& one : entries_) {
    if (!one.second.known()) continue;
    if (only != nullptr) {
      return Status(Code::kModelNotLoaded, "several models are loaded: the request must name one of " + known_names());
    }
    only = &one;
  }
  if (only == nullptr) return Status(Code::kModelNotLoaded, "no model is loaded");
  return only;
}

ModelTable::Use ModelTable::count_use(const std::string& id) {
  ModelEntry& entry = entries_[id];
  ++entry.uses;
  return counted_use(entry.model.get());
}

// The table holds the model until the use has ended.
ModelTable::Use ModelTable::counted_use(LoadedModel* model) {
  return {model, [this](LoadedModel* one) { end_use(one->id); }};
}

void ModelTable::end_use(std::string id) {
  const TableLock lock(*this);
  ModelEntry& entry = entries_[id];
  --entry.uses;
  entry.last_used_us = time_us();
  entry.last_used = std::chrono::steady_clock::now();
  tell_changed();
}

Result<ModelTable::Use> ModelTable::use(const std::string& id) {
  const TableLock lock(*this);
  const auto found = find_known(id);
  if (!found.ok()) return found.status();
  const auto& [name, entry] = **found;
  if (entry.usable()) return count_use(name);
  return Status(Code::kModelNotLoaded, "\"" + name + "\" is cold, and is not loaded before it is used");
}

Result<ModelTable::Wanted> ModelTable::want(const std::string& id) {
  const TableLock lock(*this);
  const auto found = find_known(id);
  if (!found.ok()) return found.status();
  const auto& [name, entry] = **found;
  const auto parallel = entry.description["parallel"].get<size_t>();
  if (entry.usable()) return Wanted{name, parallel, count_use(name)};
  // The work that does the load uses the entry, or the load that was asked for by name.
  const void* const load = entry.shared_load.get();
  if (Call::depth_here() > 0 && Operation::held_up([&wanted = entry, load](const Operation& one) {
        return one.uses.has(&wanted) || (load != nullptr && one.uses.has(load));
      })) {
    return Status(Code::kReentrant, "using \"" + name + "\" would wait for the load that this hook holds up");
  }
  return Wanted{name, parallel, nullptr};
}

Result<ModelTable::Claim> ModelTable::use_or_load(const std::string& id, CancelFlag& cancel) {
  const CancelListener listening = wake_at(cancel);
  TableLock lock(*this);
  for (;;) {
    if (cancel.cancelled()) return cancelled_load(id, cancel);
    const auto found = find_known(id);
    if (!found.ok()) return found.status();
    const auto& [name, entry] = **found;
    if (entry.usable()) return Claim{count_use(name), {}, nullptr};
    if (entry.state == ModelEntry::State::kCold) {
      entries_[name].state = ModelEntry::State::kLoading;
      return Claim{nullptr, *entry.request, &entry};
    }
    wait(lock);
  }
}

std::vector<std::string> ModelTable::usable_ids() const {
  const TableLock lock(*this);
  std::vector<std::string> names;
  for (const auto& [id, entry] : entries_) {
    if (entry.usable()) names.push_back(id);
  }
  return names;
}

bool ModelTable::unused(const std::string& id) const {
  const TableLock lock(*this);
  const ModelEntry* const found = find(id);
  return found != nullptr && found->idle();
}

std::vector<std::string> ModelTable::held_ids() const {
  const TableLock lock(*this);
  std::vector<std::string> names;
  for (const auto& [id, entry] : entries_) {
    if (entry.model) names.push_back(id);
  }
  return names;
}

Status ModelTable::begin_unload(const std::string& id) {
  const TableLock lock(*this);
  const ModelEntry* const found = find(id);
  return found != nullptr && found->known() ? mark_unloading(id) : not_loaded(id);
}

Status ModelTable::mark_unloading(const std::string& id) {
  ModelEntry& entry = entries_[id];
  // Work with the model uses the model; the work that loads it uses the entry, or the load that was asked for by name.
  const bool is_loading = entry.state == ModelEntry::State::kLoading;
  const std::initializer_list<const void*> things = {entry.model.get(), &entry,
                                                     is_loading ? entry.shared_load.get() : nullptr};
  for (const void* thing : things) {
    if (thing == nullptr) continue;
    if (Status status = may_wait_for_users_of(thing, "unloading \"" + id + "\""); !status.ok()) return status;
  }
  entry.is_to_go = true;
  if (!is_loading && entry.state != ModelEntry::State::kEvicting) entry.state = ModelEntry::State::kUnloading;
  return {};
}

void ModelTable::cancel_unload(const std::string& id) {
  const TableLock lock(*this);
  ModelEntry& entry = entries_[id];
  entry.is_to_go = false;
  if (entry.state != ModelEntry::State::kUnloading) return;
  entry.state = entry.model ? ModelEntry::State::kReady : ModelEntry::State::kCold;
}

void ModelTable::wait_until_unused(TableLock& lock, const std::string& id) {
  while (entries_[id].state != ModelEntry::State::kUnloading || entries_[id].uses != 0) wait(lock);
}

bool ModelTable::wait_until_let_go(TableLock& lock, const std::string& id, std::chrono::milliseconds patience) {
  constexpr auto kLook = std::chrono::milliseconds(20);  // the decode thread sends no notification
  const auto until = std::chrono::steady_clock::now() + patience;
  while (entries_[id].model != nullptr && entries_[id].model->generator->held_up()) {
    const auto now = std::chrono::steady_clock::now();
    if (patience.count() > 0 && now >= until) {
      entries_[id].is_to_go = false;
      entries_[id].state = ModelEntry::State::kReady;
      tell_changed();
      return false;
    }
    lock.lock_.wait_until(changed_, now + kLook);
  }
  return true;
}

std::shared_ptr<LoadedModel> ModelTable::erase(const std::string& id) {
  std::shared_ptr<LoadedModel> model = std::move(entries_[id].model);
  entries_.erase(id);
  tell_changed();
  return model;
}

std::shared_ptr<LoadedModel> ModelTable::begin_eviction(const std::string& id) {
  ModelEntry& entry = entries_[id];
  entry.state = ModelEntry::State::kEvicting;
  entry.adapters = entry.model->generator->adapters();
  return std::move(entry.model);
}

void ModelTable::end_eviction(const std::string& id) {
  const TableLock lock(*this);
  entries_[id].settle(ModelEntry::State::kCold);
  tell_changed();
}

void ModelTable::begin_load(const std::string& id, std::shared_ptr<SharedLoad> shared_load) {
  ModelEntry& entry = entries_[id];
  entry.state = ModelEntry::State::kLoading;
  entry.shared_load = std::move(shared_load);
}

const ModelEntry& ModelTable::fill(const std::shared_ptr<LoadedModel>& model, const LoadRequest& request,
                                   const std::shared_ptr<SharedLoad>& shared_load, int uses) {
  model->number = ++last_number_;
  ModelEntry& entry = entries_[model->id];
  entry.model = model;
  entry.shared_load = shared_load;
  model->shared_load = shared_load;
  for (const AdapterInfo& one : model->generator->adapters()) {  // unloaded while they were read
    if (std::ranges::find(entry.adapters, one.id, &AdapterInfo::id) != entry.adapters.end()) continue;
    static_cast<void>(model->generator->unload_adapter(one.id));
  }
  entry.adapters.clear();  // the model has them
  entry.description = model->description;
  entry.request = request;
  entry.uses += uses;
  entry.last_used_us = time_us();
  entry.last_used = std::chrono::steady_clock::now();
  entry.settle(ModelEntry::State::kReady);
  tell_changed();
  return entry;
}

const ModelEntry& ModelTable::declare(const std::string& id, const LoadRequest& request, Json description) {
  ModelEntry& entry = entries_[id];
  if (entry.request && entry.request->path != request.path) entry.adapters.clear();  // of another model
  entry.request = request;
  entry.description = std::move(description);
  entry.settle(ModelEntry::State::kCold);
  tell_changed();
  return entry;
}

void ModelTable::end_without_model(const std::string& id) {
  tell_changed();
  const auto found = entries_.find(id);
  if (!found->second.request) {
    entries_.erase(found);
    return;
  }
  found->second.settle(ModelEntry::State::kCold);
  found->second.shared_load.reset();
}

std::vector<std::pair<std::string, AdapterInfo>> ModelTable::adapters() const {
  const TableLock lock(*this);
  std::vector<std::pair<std::string, AdapterInfo>> all;
  for (const auto& [id, entry] : entries_) {
    for (const AdapterInfo& one : entry.usable() ? entry.model->generator->adapters() : entry.adapters) {
      all.emplace_back(id, one);
    }
  }
  return all;
}

std::vector<AdapterInfo> ModelTable::adapters_to_bring_back(const std::string& id, const std::string& path) const {
  const TableLock lock(*this);
  const ModelEntry* const found = find(id);
  if (found == nullptr || found->state != ModelEntry::State::kLoading) return {};
  return found->request && found->request->path == path ? found->adapters : std::vector<AdapterInfo>();
}

bool ModelTable::forget_adapter(const std::string& id) {
  const TableLock lock(*this);
  for (auto& [model_id, entry] : entries_) {
    if (std::erase_if(entry.adapters, [&id](const AdapterInfo& one) { return one.id == id; }) > 0) return true;
  }
  return false;
}

void ModelTable::wait(TableLock& lock) { lock.lock_.wait(changed_); }

CancelListener ModelTable::wake_at(CancelFlag& cancel) {
  return CancelListener(cancel, [this] {
    const TableLock lock(*this);
    tell_changed();
  });
}

}  // namespace lh
