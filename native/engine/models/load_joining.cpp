#include "engine/models/load_joining.h"

namespace lh {
namespace {

std::string request_key(const LoadRequest& request) { return request.path + '\n' + dump_json(to_json(request.params)); }

Status in_use(const std::string& id, const char* why) {
  return {Code::kModelInUse, "a model named \"" + id + "\" is " + why};
}

constexpr const char* kNotFromHook = "being loaded already, and a hook cannot wait for that load";

}  // namespace

Status LoadJoining::reserve(LoadTicket& ticket) {
  const std::string& id = ticket.id;
  if (id.empty()) return Status(Code::kInvalidArgument, "a model needs an id that is not empty");
  const TableLock lock(table_);
  const ModelEntry* const found = table_.find(id);
  // A cold model may be given new options; work that uses it meanwhile waits, and it keeps the old ones if the load
  // fails.
  if (found == nullptr || found->state == ModelEntry::State::kCold) {
    ticket.shared_load = std::make_shared<SharedLoad>(request_key(ticket.request), ticket.level);
    ticket.loads = true;
    table_.begin_load(id, ticket.shared_load);
    return {};
  }
  const auto& shared_load = found->shared_load;
  const bool stays = !found->is_to_go && (found->state == ModelEntry::State::kLoading || found->usable());
  if (!shared_load || shared_load->state == SharedLoad::State::kEnded || !stays) {
    return in_use(id, "loaded, or being loaded, already");
  }
  if (ticket.request.own || shared_load->request != request_key(ticket.request)) {
    return in_use(id, "being loaded already, with other options");
  }
  if (shared_load->level < ticket.level) return in_use(id, kNotFromHook);
  shared_load->waiting.insert(ticket.level);
  ++shared_load->callers;
  ticket.shared_load = shared_load;
  return {};
}

void LoadJoining::drop_reservation(const LoadTicket& ticket) {
  const TableLock lock(table_);
  if (ticket.loads) {
    table_.end_without_model(ticket.id);
  } else {
    leave(ticket);
  }
}

std::optional<LoadJoining::End> LoadJoining::wait(LoadTicket& ticket, const Work& work) {
  const CancelListener listening = table_.wake_at(work.cancel);
  SharedLoad& shared_load = *ticket.shared_load;
  float told = 0;
  TableLock lock(table_);
  while (shared_load.state != SharedLoad::State::kEnded) {
    if (work.cancel.cancelled()) {
      leave(ticket);
      return End{true, cancelled_load(ticket.id, work.cancel), {}};
    }
    // The largest of their levels: then none of the others is one that may not wait for it.
    if (shared_load.state == SharedLoad::State::kLeft && ticket.level == *shared_load.waiting.rbegin()) {
      take_over(ticket);
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
  return End{false, shared_load.status, shared_load.refused};
}

void LoadJoining::pass_on_progress(const LoadTicket& ticket, const Work& work, float share) {
  try {
    work.events.emit(LoadProgressEvent{share});
  } catch (...) {
    const TableLock lock(table_);
    leave(ticket);
    throw;
  }
}

void LoadJoining::take_over(LoadTicket& ticket) {
  SharedLoad& shared_load = *ticket.shared_load;
  shared_load.waiting.erase(shared_load.waiting.find(ticket.level));
  shared_load.state = SharedLoad::State::kRuns;
  shared_load.level = ticket.level;
  shared_load.progress = 0;
  ticket.loads = true;
}

// A caller that waits gives up.
void LoadJoining::leave(const LoadTicket& ticket) {
  SharedLoad& shared_load = *ticket.shared_load;
  shared_load.waiting.erase(shared_load.waiting.find(ticket.level));
  const bool is_last = --shared_load.callers == 0;
  if (is_last && shared_load.state == SharedLoad::State::kLeft) table_.end_without_model(ticket.id);
  table_.tell_changed();
}

bool LoadJoining::take_back(const LoadTicket& ticket) {
  const TableLock lock(table_);
  if (--ticket.shared_load->callers > 0) return false;
  const ModelEntry* const found = table_.find(ticket.id);
  return found != nullptr && found->shared_load == ticket.shared_load && found->known() &&
         table_.mark_unloading(ticket.id).ok();
}

void LoadJoining::tell_progress(const std::string& id, float fraction) {
  const TableLock lock(table_);
  SharedLoad* const shared_load = table_.find(id)->shared_load.get();
  if (shared_load == nullptr || shared_load->waiting.empty()) return;
  shared_load->progress = fraction;
  table_.tell_changed();
}

}  // namespace lh
