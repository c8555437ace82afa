#include "inference/state_store.h"

#include <algorithm>

namespace lh {

void StateStore::make_room(size_t bytes) {
  while (!states_.empty() && stored_ + reserved_ + bytes > budget_) {
    stored_ -= states_.back()->bytes();
    states_.pop_back();
  }
}

bool StateStore::reserve(size_t bytes) {
  if (reserved_ + bytes > budget_) return false;
  make_room(bytes);
  reserved_ += bytes;
  return true;
}

void StateStore::put(StoredState state) {
  for (auto it = states_.begin(); it != states_.end();) {
    if (common_prefix((*it)->tokens, state.tokens) < (*it)->length()) {
      ++it;
      continue;
    }
    stored_ -= (*it)->bytes();
    it = states_.erase(it);
  }
  const size_t bytes = state.bytes();
  if (reserved_ + bytes > budget_) return;
  make_room(bytes);
  stored_ += bytes;
  states_.push_front(std::make_shared<const StoredState>(std::move(state)));
}

bool StateStore::holds(const std::vector<int32_t>& tokens) const {
  const auto length = static_cast<int32_t>(tokens.size());
  return std::ranges::any_of(states_, [&](const auto& one) { return common_prefix(one->tokens, tokens) == length; });
}

void StateStore::used(const StatePtr& state) {
  const auto found = std::ranges::find(states_, state);
  if (found != states_.end()) states_.splice(states_.begin(), states_, found);
}

void StateStore::drop(const StatePtr& state) {
  if (states_.remove(state) > 0) stored_ -= state->bytes();
}

}  // namespace lh
