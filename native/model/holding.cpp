#include "model/holding.h"

namespace lh {
namespace {

// Of weights that are there already: where, and no bytes.
MemoryUse only_layers(const MemoryUse& weights) {
  MemoryUse places;
  for (const DeviceUse& one : weights) places.push_back({.device = one.device, .layers = one.layers});
  return places;
}

// What a model holds beside its weights.
MemoryUse without_weights(MemoryUse own, uint64_t conversations) {
  if (conversations > 0) add_use(own, {.device = kMainMemory, .context = conversations});
  return own;
}

}  // namespace

MemoryUse total(const Holding& one) {
  MemoryUse sum = without_weights(one.own, one.conversations);
  for (const SharedUse& weights : one.weights) add_use(sum, weights.memory);
  return sum;
}

bool have_common_weights(const Holding& a, const Holding& b) {
  return std::ranges::any_of(a.weights, [&b](const SharedUse& one) {
    return std::ranges::find(b.weights, one.key, &SharedUse::key) != b.weights.end();
  });
}

void Holdings::add(const Holding& one) {
  add_use(own_, one.own);
  conversations_ += one.conversations;
  for (const auto& [key, memory] : one.weights) {
    Weights& held = weights_[key];
    if (held.holders++ == 0) held.memory = memory;
  }
}

void Holdings::remove(const Holding& one) {
  take_use(own_, one.own);
  conversations_ -= one.conversations;
  for (const auto& [key, memory] : one.weights) {
    const auto found = weights_.find(key);
    if (found != weights_.end() && --found->second.holders == 0) weights_.erase(found);
  }
}

MemoryUse Holdings::total() const {
  MemoryUse sum = without_weights(own_, conversations_);
  for (const auto& [key, weights] : weights_) add_use(sum, weights.memory);
  return sum;
}

int Holdings::holders(const std::string& key) const {
  const auto found = weights_.find(key);
  return found == weights_.end() ? 0 : found->second.holders;
}

MemoryUse Holdings::beyond(const Holding& one) const {
  MemoryUse sum = without_weights(one.own, one.conversations);
  for (const auto& [key, memory] : one.weights) add_use(sum, holders(key) == 0 ? memory : only_layers(memory));
  return sum;
}

MemoryUse Holdings::freed_with(const Holding& one) const {
  MemoryUse sum = without_weights(one.own, one.conversations);
  for (const auto& [key, memory] : one.weights) {
    if (holders(key) <= 1) add_use(sum, memory);
  }
  return sum;
}

}  // namespace lh
