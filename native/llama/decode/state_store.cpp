#include "llama/decode/state_store.h"

#include <algorithm>

namespace lh {

size_t StateStore::drop_last() {
  const size_t bytes = states_.back()->bytes();
  stored_ -= bytes;
  states_.pop_back();
  return bytes;
}

void StateStore::make_room(size_t bytes) {
  while (!states_.empty() && stored_ + reserved_ + bytes > budget_) drop_last();
}

size_t StateStore::drop_oldest(size_t bytes) {
  const MutexLock lock(mutex_);
  size_t dropped = 0;
  while (!states_.empty() && dropped < bytes) dropped += drop_last();
  return dropped;
}

size_t StateStore::stored() const {
  const MutexLock lock(mutex_);
  return stored_;
}

void StateStore::unreserve(size_t bytes) {
  const MutexLock lock(mutex_);
  reserved_ -= bytes;
}

bool StateStore::reserve(size_t bytes) {
  const MutexLock lock(mutex_);
  if (reserved_ + bytes > budget_) return false;
  make_room(bytes);
  reserved_ += bytes;
  return true;
}

void StateStore::put(StoredState state, const CutRule& rule) {
  const size_t bytes = state.bytes();
  const MutexLock lock(mutex_);
  if (reserved_ + bytes > budget_) return;
  const auto serves = [&](const StatePtr& one) {
    const int32_t length = one->length();
    return one->shared_with(state.tokens, state.adapters) == length &&
           resume_at(length, state.length(), state.first, state.checkpoints, rule).length == length;
  };
  for (auto it = states_.begin(); it != states_.end();) {
    if (!serves(*it)) {
      ++it;
      continue;
    }
    stored_ -= (*it)->bytes();
    it = states_.erase(it);
  }
  make_room(bytes);
  states_.push_front(std::make_shared<const StoredState>(std::move(state)));
  stored_ += bytes;
}

bool StateStore::holds(const std::vector<int32_t>& tokens, const AdapterKey& adapters, const CutRule& rule) const {
  const auto length = static_cast<int32_t>(tokens.size());
  const MutexLock lock(mutex_);
  return std::ranges::any_of(states_, [&](const StatePtr& one) {
    return one->shared_with(tokens, adapters) == length &&
           resume_at(length, one->length(), one->first, one->checkpoints, rule).length == length;
  });
}

void StateStore::used(const StatePtr& state) {
  const MutexLock lock(mutex_);
  const auto found = std::ranges::find(states_, state);
  if (found != states_.end()) states_.splice(states_.begin(), states_, found);
}

void StateStore::drop(const StatePtr& state) {
  const MutexLock lock(mutex_);
  if (states_.remove(state) > 0) stored_ -= state->bytes();
}

}  // namespace lh
