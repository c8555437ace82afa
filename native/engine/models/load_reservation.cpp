#include "engine/models/load_reservation.h"

namespace lh {

LoadReservation::~LoadReservation() {
  const TableLock lock(table_);
  ledger_.release(memory);
  if (shared_) shared_->state = SharedLoad::State::kEnded;
  if (!filled_) leave();
  table_.tell_changed();
}

void LoadReservation::fill(const std::shared_ptr<LoadedModel>& model, const LoadRequest& request, int uses) {
  const TableLock lock(table_);
  ledger_.release(memory);  // from now on it is counted as loaded
  model->description["measured"] = to_json(ledger_.held().beyond(model->generator->memory()));
  succeed(table_.fill(model, request, shared_, uses));
}

void LoadReservation::declare(const LoadRequest& request, Json description) {
  const TableLock lock(table_);
  succeed(table_.declare(id_, request, std::move(description)));
}

void LoadReservation::fail(const Status& status, const Refusal& refused) {
  const TableLock lock(table_);
  if (!shared_) return;
  shared_->status = status;
  shared_->refused = refused;
}

void LoadReservation::succeed(const ModelEntry& entry) {
  filled_ = true;
  if (!shared_) return;
  shared_->status = {};
  shared_->description = ledger_.describe(entry);
}

void LoadReservation::leave() {
  if (shared_ && shared_->status.code() == Code::kCancelled && --shared_->callers > 0) {
    shared_->state = SharedLoad::State::kLeft;  // one of the waiting callers continues it
    return;
  }
  table_.end_without_model(id_);
}

}  // namespace lh
