// Loads of one model that are asked for at once: one of the callers does it, the others wait. Parts of ModelManager.
#include <tuple>

#include "engine/models/model_manager.h"
#include "engine/models/shared_load.h"
#include "engine/tasks/results.h"

namespace lh {
namespace {

std::string request_key(const LoadRequest& request) { return request.path + '\n' + dump_json(to_json(request.params)); }

Status in_use(const std::string& id, const char* why) {
  return {Code::kModelInUse, "a model named \"" + id + "\" is " + why};
}

constexpr const char* kNotFromHook = "being loaded already, and a hook cannot wait for that load";

}  // namespace

bool ModelManager::Entry::loading_by_name() const {
  return shared_load && shared_load->state != SharedLoad::State::kEnded;
}

Status ModelManager::reserve(LoadTicket& ticket) {
  const std::string& id = ticket.id;
  if (id.empty()) return Status(Code::kInvalidArgument, "a model needs an id that is not empty");
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  // Of a cold model it is said anew how it is loaded; who uses it meanwhile waits, and it stays what it is if that
  // fails.
  if (found == entries_.end() || found->second.state == State::kCold) {
    ticket.shared_load = std::make_shared<SharedLoad>(request_key(ticket.request), ticket.level);
    ticket.loads = true;
    Entry& entry = entries_[id];
    entry.state = State::kLoading;
    entry.shared_load = ticket.shared_load;
    return {};
  }
  const auto& [shared_load, state] = std::tie(found->second.shared_load, found->second.state);
  const bool stays = !found->second.is_to_go && (state == State::kLoading || state == State::kReady);
  if (!shared_load || shared_load->state == SharedLoad::State::kEnded || !stays)
    return in_use(id, "loaded, or being loaded, already");
  if (shared_load->request != request_key(ticket.request))
    return in_use(id, "being loaded already, with other options");
  if (shared_load->level < ticket.level) return in_use(id, kNotFromHook);
  shared_load->waiting.insert(ticket.level);
  ++shared_load->callers;
  ticket.shared_load = shared_load;
  return {};
}

void ModelManager::drop_reservation(const LoadTicket& ticket) {
  const MutexLock lock(mutex_);
  if (ticket.loads) {
    end_without_model(ticket.id);
  } else {
    leave_load(ticket);
  }
}

TaskEnd ModelManager::load(LoadTicket& ticket, const Work& work) {
  std::atomic<const void*>& awaits_users_of = Operation::current()->awaits_users_of;
  awaits_users_of.store(ticket.shared_load.get(), std::memory_order_release);
  TaskEnd end = take_part(ticket, work);
  awaits_users_of.store(nullptr, std::memory_order_release);
  return end;
}

TaskEnd ModelManager::take_part(LoadTicket& ticket, const Work& work) {
  if (!ticket.loads) {
    if (auto end = wait_for_load(ticket, work)) return *std::move(end);
  }
  const std::shared_ptr<Operation> operation = Operation::current();
  operation->uses.add(ticket.shared_load.get());
  Refusal refused;
  const Status status = ticket.request.params.lazy
                            ? declare(ticket, work)
                            : bring_in(ticket.id, ticket.request, work, ticket.shared_load, refused).status();
  operation->uses.remove(ticket.shared_load.get());
  if (!status.ok()) return failed_end(status, refused);
  return settle_load(ticket, work);
}

// None: who did it has given up, and this asker does it.
std::optional<TaskEnd> ModelManager::wait_for_load(LoadTicket& ticket, const Work& work) {
  const CancelListener listening(work.cancel, mutex_, changed_);
  SharedLoad& shared_load = *ticket.shared_load;
  float told = 0;
  MutexLock lock(mutex_);
  while (shared_load.state != SharedLoad::State::kEnded) {
    if (work.cancel.cancelled()) {
      leave_load(ticket);
      lock.unlock();
      return TaskEnd{load_failed(ticket.id, cancelled_load(ticket.id, work.cancel))};
    }
    // The largest of their levels: then none of the others is one that may not wait for it.
    if (shared_load.state == SharedLoad::State::kLeft && ticket.level == *shared_load.waiting.rbegin()) {
      take_over_load(ticket);
      return std::nullopt;
    }
    if (shared_load.progress == told || !work.events.wanted()) {
      lock.wait(changed_);
      continue;
    }
    told = shared_load.progress;
    lock.unlock();
    pass_on_progress(ticket, work, told);
    lock.lock();
  }
  shared_load.waiting.erase(shared_load.waiting.find(ticket.level));
  if (!shared_load.status.ok()) return failed_end(shared_load.status, shared_load.refused);
  lock.unlock();
  return settle_load(ticket, work);
}

void ModelManager::pass_on_progress(const LoadTicket& ticket, const Work& work, float share) {
  try {
    work.events.emit(LoadProgressEvent{share});
  } catch (...) {
    const MutexLock lock(mutex_);
    leave_load(ticket);
    throw;
  }
}

void ModelManager::take_over_load(LoadTicket& ticket) {
  SharedLoad& shared_load = *ticket.shared_load;
  shared_load.waiting.erase(shared_load.waiting.find(ticket.level));
  shared_load.state = SharedLoad::State::kRuns;
  shared_load.level = ticket.level;
  shared_load.progress = 0;
  ticket.loads = true;
}

void ModelManager::end_without_model(const std::string& id) {
  changed_.notify_all();
  const auto found = entries_.find(id);
  if (!found->second.request) {
    entries_.erase(found);
    return;
  }
  found->second.settle(State::kCold);
  found->second.shared_load.reset();
}

// One who waits gives up.
void ModelManager::leave_load(const LoadTicket& ticket) {
  SharedLoad& shared_load = *ticket.shared_load;
  shared_load.waiting.erase(shared_load.waiting.find(ticket.level));
  const bool is_last = --shared_load.callers == 0;
  if (is_last && shared_load.state == SharedLoad::State::kLeft) end_without_model(ticket.id);
  changed_.notify_all();
}

// Of a load that has succeeded. From here on a cancel comes too late; one that came before takes the model back, unless
// others want it.
TaskEnd ModelManager::settle_load(const LoadTicket& ticket, const Work& work) {
  if (work.cancel.settle()) {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(ticket.id);
    const bool is_there =
        found != entries_.end() && found->second.shared_load == ticket.shared_load && found->second.model;
    return {Status(), is_there ? told(found->second) : ticket.shared_load->description};
  }
  if (is_to_be_taken_back(ticket)) static_cast<void>(finish_unload(ticket.id, "the load was cancelled"));
  return {load_failed(ticket.id, cancelled_load(ticket.id, work.cancel))};
}

bool ModelManager::is_to_be_taken_back(const LoadTicket& ticket) {
  const MutexLock lock(mutex_);
  if (--ticket.shared_load->callers > 0) return false;
  const auto found = entries_.find(ticket.id);
  return found != entries_.end() && found->second.shared_load == ticket.shared_load && found->second.known() &&
         mark_unloading(found->second, ticket.id).ok();
}

void ModelManager::tell_progress(const std::string& id, float fraction) {
  const MutexLock lock(mutex_);
  SharedLoad* const shared_load = entries_[id].shared_load.get();
  if (shared_load == nullptr || shared_load->waiting.empty()) return;
  shared_load->progress = fraction;
  changed_.notify_all();
}

Status ModelManager::load_failed(const std::string& id, Status status) {
  dispatcher_.error(free_scope(id), code_name(status.code()), status.message(), "load", false);
  return status;
}

}  // namespace lh
