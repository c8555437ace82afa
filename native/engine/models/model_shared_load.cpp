// Loads of one model that are asked for at once: one of the callers does it, the others wait. Parts of ModelManager.
#include "engine/models/hook_scope.h"
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

Status ModelManager::reserve(LoadTicket& ticket) {
  const std::string& id = ticket.id;
  if (id.empty()) return Status(Code::kInvalidArgument, "a model needs an id that is not empty");
  const TableLock lock(table_);
  const ModelEntry* const found = table_.find(id);
  // A cold model may be given new options; whoever uses it meanwhile waits, and it keeps the old ones if the load
  // fails.
  if (found == nullptr || found->state == ModelEntry::State::kCold) {
    ticket.shared_load = std::make_shared<SharedLoad>(request_key(ticket.request), ticket.level);
    ticket.loads = true;
    table_.begin_load(id, ticket.shared_load);
    return {};
  }
  const auto& shared_load = found->shared_load;
  const bool stays = !found->is_to_go && (found->state == ModelEntry::State::kLoading || found->usable());
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
  const TableLock lock(table_);
  if (ticket.loads) {
    table_.end_without_model(ticket.id);
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
  const CancelListener listening = table_.wake_at(work.cancel);
  SharedLoad& shared_load = *ticket.shared_load;
  float told = 0;
  TableLock lock(table_);
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
      table_.wait(lock);
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
    const TableLock lock(table_);
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

// One who waits gives up.
void ModelManager::leave_load(const LoadTicket& ticket) {
  SharedLoad& shared_load = *ticket.shared_load;
  shared_load.waiting.erase(shared_load.waiting.find(ticket.level));
  const bool is_last = --shared_load.callers == 0;
  if (is_last && shared_load.state == SharedLoad::State::kLeft) table_.end_without_model(ticket.id);
  table_.tell_changed();
}

// Of a load that has succeeded. From here on a cancel comes too late; one that came before takes the model back, unless
// others want it.
TaskEnd ModelManager::settle_load(const LoadTicket& ticket, const Work& work) {
  if (work.cancel.settle()) {
    const TableLock lock(table_);
    const ModelEntry* const found = table_.find(ticket.id);
    const bool is_there = found != nullptr && found->shared_load == ticket.shared_load && found->model;
    return {Status(), is_there ? ledger_.describe(*found) : ticket.shared_load->description};
  }
  if (is_to_be_taken_back(ticket)) static_cast<void>(unloader_.unload(ticket.id, "the load was cancelled"));
  return {load_failed(ticket.id, cancelled_load(ticket.id, work.cancel))};
}

bool ModelManager::is_to_be_taken_back(const LoadTicket& ticket) {
  const TableLock lock(table_);
  if (--ticket.shared_load->callers > 0) return false;
  const ModelEntry* const found = table_.find(ticket.id);
  return found != nullptr && found->shared_load == ticket.shared_load && found->known() &&
         table_.mark_unloading(ticket.id).ok();
}

void ModelManager::tell_progress(const std::string& id, float fraction) {
  const TableLock lock(table_);
  SharedLoad* const shared_load = table_.find(id)->shared_load.get();
  if (shared_load == nullptr || shared_load->waiting.empty()) return;
  shared_load->progress = fraction;
  table_.tell_changed();
}

Status ModelManager::load_failed(const std::string& id, Status status) {
  dispatcher_.error(scope_of_engine(id, closing_), code_name(status.code()), status.message(), "load", false);
  return status;
}

}  // namespace lh
