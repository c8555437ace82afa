// Loads of one model that are asked for at once: one of the askers does it, the others wait. Parts of ModelManager.
#include <tuple>

#include "engine/models/joint_load.h"
#include "engine/models/model_manager.h"
#include "engine/tasks/results.h"

namespace lh {
namespace {

std::string request_key(const LoadRequest& request) { return request.path + '\n' + dump_json(to_json(request.params)); }

Status in_use(const std::string& id, const char* why) {
  return {Code::kModelInUse, "a model named \"" + id + "\" is " + why};
}

constexpr const char* kNotFromHook = "being loaded already, and a hook cannot wait for that load";

}  // namespace

bool ModelManager::Entry::loading_by_name() const { return joint && joint->state != JointLoad::State::kEnded; }

Status ModelManager::reserve(LoadPlace& place) {
  const std::string& id = place.id;
  if (id.empty()) return Status(Code::kInvalidArgument, "a model needs an id that is not empty");
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  // Of a cold model it is said anew how it is loaded; who uses it meanwhile waits, and it stays what it is if that
  // fails.
  if (found == entries_.end() || found->second.state == State::kCold) {
    place.joint = std::make_shared<JointLoad>(request_key(place.request), place.level);
    place.loads = true;
    Entry& entry = entries_[id];
    entry.state = State::kLoading;
    entry.joint = place.joint;
    return {};
  }
  const auto& [joint, state] = std::tie(found->second.joint, found->second.state);
  const bool stays = !found->second.is_to_go && (state == State::kLoading || state == State::kReady);
  if (!joint || joint->state == JointLoad::State::kEnded || !stays)
    return in_use(id, "loaded, or being loaded, already");
  if (joint->request != request_key(place.request)) return in_use(id, "being loaded already, with other options");
  if (joint->level < place.level) return in_use(id, kNotFromHook);
  joint->waiting.insert(place.level);
  ++joint->askers;
  place.joint = joint;
  return {};
}

void ModelManager::drop_reservation(const LoadPlace& place) {
  const MutexLock lock(mutex_);
  if (place.loads) {
    end_without_model(place.id);
  } else {
    leave_load(place);
  }
}

TaskEnd ModelManager::load(LoadPlace& place, const Work& work) {
  std::atomic<const void*>& awaits_users_of = Operation::current()->awaits_users_of;
  awaits_users_of.store(place.joint.get(), std::memory_order_release);
  TaskEnd end = take_part(place, work);
  awaits_users_of.store(nullptr, std::memory_order_release);
  return end;
}

TaskEnd ModelManager::take_part(LoadPlace& place, const Work& work) {
  if (!place.loads) {
    if (auto end = wait_for_load(place, work)) return *std::move(end);
  }
  const std::shared_ptr<Operation> operation = Operation::current();
  operation->uses.add(place.joint.get());
  Refusal refused;
  const Status status = place.request.params.lazy
                            ? declare(place, work)
                            : bring_in(place.id, place.request, work, place.joint, refused).status();
  operation->uses.remove(place.joint.get());
  if (!status.ok()) return failed_end(status, refused);
  return settle_load(place, work);
}

// None: who did it has given up, and this asker does it.
std::optional<TaskEnd> ModelManager::wait_for_load(LoadPlace& place, const Work& work) {
  const CancelListener listening(work.cancel, mutex_, changed_);
  JointLoad& joint = *place.joint;
  float told = 0;
  MutexLock lock(mutex_);
  while (joint.state != JointLoad::State::kEnded) {
    if (work.cancel.cancelled()) {
      leave_load(place);
      lock.unlock();
      return TaskEnd{load_failed(place.id, cancelled_load(place.id, work.cancel))};
    }
    // The largest of their levels: then none of the others is one that may not wait for it.
    if (joint.state == JointLoad::State::kLeft && place.level == *joint.waiting.rbegin()) {
      take_over_load(place);
      return std::nullopt;
    }
    if (joint.progress == told || !work.events.wanted()) {
      lock.wait(changed_);
      continue;
    }
    told = joint.progress;
    lock.unlock();
    pass_on_progress(place, work, told);
    lock.lock();
  }
  joint.waiting.erase(joint.waiting.find(place.level));
  if (!joint.status.ok()) return failed_end(joint.status, joint.refused);
  lock.unlock();
  return settle_load(place, work);
}

void ModelManager::pass_on_progress(const LoadPlace& place, const Work& work, float share) {
  try {
    work.events.emit(LoadProgressEvent{share});
  } catch (...) {
    const MutexLock lock(mutex_);
    leave_load(place);
    throw;
  }
}

void ModelManager::take_over_load(LoadPlace& place) {
  JointLoad& joint = *place.joint;
  joint.waiting.erase(joint.waiting.find(place.level));
  joint.state = JointLoad::State::kRuns;
  joint.level = place.level;
  joint.progress = 0;
  place.loads = true;
}

void ModelManager::end_without_model(const std::string& id) {
  changed_.notify_all();
  const auto found = entries_.find(id);
  if (!found->second.request) {
    entries_.erase(found);
    return;
  }
  found->second.settle(State::kCold);
  found->second.joint.reset();
}

// One who waits gives up.
void ModelManager::leave_load(const LoadPlace& place) {
  JointLoad& joint = *place.joint;
  joint.waiting.erase(joint.waiting.find(place.level));
  const bool is_last = --joint.askers == 0;
  if (is_last && joint.state == JointLoad::State::kLeft) end_without_model(place.id);
  changed_.notify_all();
}

// Of a load that has succeeded. From here on a cancel comes too late; one that came before takes the model back, unless
// others want it.
TaskEnd ModelManager::settle_load(const LoadPlace& place, const Work& work) {
  if (work.cancel.settle()) {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(place.id);
    const bool is_there = found != entries_.end() && found->second.joint == place.joint && found->second.model;
    return {Status(), is_there ? told(found->second) : place.joint->description};
  }
  if (is_to_be_taken_back(place)) static_cast<void>(finish_unload(place.id, "the load was cancelled"));
  return {load_failed(place.id, cancelled_load(place.id, work.cancel))};
}

bool ModelManager::is_to_be_taken_back(const LoadPlace& place) {
  const MutexLock lock(mutex_);
  if (--place.joint->askers > 0) return false;
  const auto found = entries_.find(place.id);
  return found != entries_.end() && found->second.joint == place.joint && found->second.known() &&
         mark_unloading(found->second, place.id).ok();
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
