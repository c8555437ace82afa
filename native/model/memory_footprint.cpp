#include "model/memory_footprint.h"

namespace lh {
namespace {

// The devices and layers of weights that are in memory already, with no bytes.
MemoryUse only_layers(const MemoryUse& weights) {
  MemoryUse places;
  for (const DeviceUse& one : weights) places.push_back({.device = one.device, .layers = one.layers});
  return places;
}

// The memory that a model holds besides its weights.
MemoryUse without_weights(MemoryUse own, uint64_t conversations) {
  if (conversations > 0) add_use(own, {.device = kMainMemory, .context = conversations});
  return own;
}

}  // namespace

MemoryUse total(const MemoryFootprint& one) {
  MemoryUse sum = without_weights(one.own, one.conversations);
  for (const SharedUse& weights : one.weights) add_use(sum, weights.memory);
  return sum;
}

bool have_common_weights(const MemoryFootprint& a, const MemoryFootprint& b) {
  return std::ranges::any_of(a.weights, [&b](const SharedUse& one) {
    return std::ranges::find(b.weights, one.key, &SharedUse::key) != b.weights.end();
  });
}

void FootprintSum::add(const MemoryFootprint& one) {
  add_use(own_, one.own);
  conversations_ += one.conversations;
  for (const auto& [key, memory] : one.weights) {
    Weights& held = weights_[key];
    if (held.holders++ == 0) held.memory = memory;
  }
}

void FootprintSum::remove(const MemoryFootprint& one) {
  take_use(own_, one.own);
  conversations_ -= one.conversations;
  for (const auto& [key, memory] : one.weights) {
    const auto found = weights_.find(key);
    if (found != weights_.end() && --found->second.holders == 0) weights_.erase(found);
  }
}

MemoryUse FootprintSum::total() const {
  MemoryUse sum = without_weights(own_, conversations_);
  for (const auto& [key, weights] : weights_) add_use(sum, weights.memory);
  return sum;
}

int FootprintSum::holders(const std::string& key) const {
  const auto found = weights_.find(key);
  return found == weights_.end() ? 0 : found->second.holders;
}

MemoryUse FootprintSum::beyond(const MemoryFootprint& one) const {
  MemoryUse sum = without_weights(one.own, one.conversations);
  for (const auto& [key, memory] : one.weights) add_use(sum, holders(key) == 0 ? memory : only_layers(memory));
  return sum;
}

MemoryUse FootprintSum::freed_with(const MemoryFootprint& one) const {
  MemoryUse sum = without_weights(one.own, one.conversations);
  for (const auto& [key, memory] : one.weights) {
    if (holders(key) <= 1) add_use(sum, memory);
  }
  return sum;
}

}  // namespace lh
