// Loads of one model that are asked for at once: one of the askers does it, the others wait. Parts of ModelManager.
#include <algorithm>

#include "engine/joint_load.h"
#include "engine/model_manager.h"

namespace lh {
namespace {

std::string how(const LoadRequest& request) { return request.path + '\n' + dump_json(to_json(request.params)); }

Status in_use(const std::string& id, const char* why) {
  return {Code::kModelInUse, "a model named \"" + id + "\" is " + why};
}

constexpr const char* kNotFromHook = "being loaded already, and a hook cannot wait for that load";

}  // namespace

Status ModelManager::reserve(LoadPlace& place) {
  const std::string& id = place.id;
  if (id.empty()) return Status(Code::kInvalidArgument, "a model needs an id that is not empty");
  const MutexLock lock(mutex_);
  // Of one that was given up nothing is left but how it was loaded, and that is said anew.
  std::erase_if(entries_, [&id](const auto& entry) { return entry.first == id && entry.second.state == State::kCold; });
  const auto [found, is_new] = entries_.try_emplace(id);
  std::shared_ptr<JointLoad>& joint = found->second.joint;
  if (is_new) {
    place.joint = joint = std::make_shared<JointLoad>(how(place.request), place.level);
    place.loads = true;
    return {};
  }
  if (!joint || joint->state == JointLoad::State::kEnded) return in_use(id, "loaded, or being loaded, already");
  if (joint->request != how(place.request)) return in_use(id, "being loaded already, with other options");
  if (joint->level < place.level) return in_use(id, kNotFromHook);
  ++joint->askers;
  place.joint = joint;
  return {};
}

void ModelManager::drop_reservation(const LoadPlace& place) {
  const MutexLock lock(mutex_);
  if (place.loads) {
    entries_.erase(place.id);
  } else {
    --place.joint->askers;
  }
}

TaskEnd ModelManager::load(LoadPlace& place, const Work& work) {
  if (!place.loads) {
    if (auto end = wait_for_load(place, work)) return *std::move(end);
  }
  InUse& uses = Operation::current()->uses;
  uses.add(place.joint.get());
  Json detail = Json::object();
  const auto loaded = bring_in(place.id, place.request, work, 0, detail);
  uses.remove(place.joint.get());
  if (!loaded.ok()) return {loaded.status(), std::move(detail)};
  return settle_load(place, work);
}

// None: who did it has given up, and this asker does it.
std::optional<TaskEnd> ModelManager::wait_for_load(LoadPlace& place, const Work& work) {
  const uint64_t listener = work.cancel.listen([this] {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  });
  const std::shared_ptr<void> listening(nullptr, [&](void*) { work.cancel.unlisten(listener); });
  JointLoad& joint = *place.joint;
  const std::shared_ptr<Operation> operation = Operation::current();
  float told = 0;
  MutexLock lock(mutex_);
  joint.waiting.push_back(operation);
  while (joint.state == JointLoad::State::kRuns && !work.cancel.cancelled() && joint.level >= place.level) {
    if (joint.progress == told || !work.events.wanted()) {
      lock.wait(changed_);
      continue;
    }
    told = joint.progress;
    lock.unlock();
    work.events.emit(LoadProgressEvent{told});
    lock.lock();
  }
  std::erase(joint.waiting, operation);
  if (joint.state == JointLoad::State::kEnded) {
    if (!joint.status.ok()) return TaskEnd{joint.status, joint.detail};
    lock.unlock();
    return settle_load(place, work);
  }
  operation->awaits_users_of.store(nullptr, std::memory_order_release);
  if (!work.cancel.cancelled() && joint.level >= place.level) {
    joint.state = JointLoad::State::kRuns;
    joint.level = place.level;
    joint.progress = 0;
    place.loads = true;
    changed_.notify_all();
    return std::nullopt;
  }
  const bool is_last = --joint.askers == 0;
  if (is_last && joint.state == JointLoad::State::kLeft) entries_.erase(place.id);
  changed_.notify_all();
  lock.unlock();
  const Status status = work.cancel.cancelled() ? cancelled_load(place.id) : in_use(place.id, kNotFromHook);
  return TaskEnd{load_failed(place.id, status)};
}

// Of a load that has succeeded. From here on a cancel comes too late; one that came before takes the model back, unless
// others want it.
TaskEnd ModelManager::settle_load(const LoadPlace& place, const Work& work) {
  std::atomic<const void*>& awaits_users_of = Operation::current()->awaits_users_of;
  if (work.cancel.settle()) {
    awaits_users_of.store(nullptr, std::memory_order_release);
    const MutexLock lock(mutex_);
    const auto found = entries_.find(place.id);
    const bool is_there = found != entries_.end() && found->second.joint == place.joint && found->second.model;
    return {Status(), is_there ? told(found->second) : place.joint->description};
  }
  if (is_to_be_taken_back(place)) finish_unload(place.id, "the load was cancelled");
  awaits_users_of.store(nullptr, std::memory_order_release);
  return {load_failed(place.id, cancelled_load(place.id))};
}

bool ModelManager::is_to_be_taken_back(const LoadPlace& place) {
  const MutexLock lock(mutex_);
  if (--place.joint->askers > 0) return false;
  const auto found = entries_.find(place.id);
  return found != entries_.end() && found->second.joint == place.joint && mark_unloading(found).ok();
}

void ModelManager::tell_progress(const std::string& id, float fraction) {
  const MutexLock lock(mutex_);
  JointLoad* const joint = entries_[id].joint.get();
  if (joint == nullptr || joint->waiting.empty()) return;
  joint->progress = fraction;
  changed_.notify_all();
}

Status ModelManager::load_failed(const std::string& id, Status status) {
  dispatcher_.error(free_scope(id), code_name(status.code()), status.message(), "load", false);
  return status;
}

}  // namespace lh
