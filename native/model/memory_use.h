// What a model takes of the memory of each device, by what it is for. Must not: know llama.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lh {

// Bytes on one device.
struct DeviceUse {
  std::string device;  // as ggml names it; main memory is "CPU"
  uint64_t model = 0;  // weights
  uint64_t context = 0;
  uint64_t compute = 0;
  uint64_t mapped = 0;  // of the weights: pages of the file, which the system can take back
  int32_t layers = 0;   // of the model that are there

  [[nodiscard]] uint64_t total() const { return model + context + compute; }
  // What cannot be taken back.
  [[nodiscard]] uint64_t firm() const { return total() - mapped; }
};

// At most one of each device.
using MemoryUse = std::vector<DeviceUse>;

inline constexpr const char* kMainMemory = "CPU";

inline void add_use(MemoryUse& sum, const DeviceUse& one) {
  const auto found = std::ranges::find(sum, one.device, &DeviceUse::device);
  if (found == sum.end()) {
    sum.push_back(one);
    return;
  }
  found->model += one.model;
  found->context += one.context;
  found->compute += one.compute;
  found->mapped += one.mapped;
  found->layers += one.layers;
}

inline void add_use(MemoryUse& sum, const MemoryUse& all) {
  for (const DeviceUse& one : all) add_use(sum, one);
}

// Of what was added.
inline void take_use(MemoryUse& sum, const MemoryUse& all) {
  for (const DeviceUse& one : all) {
    const auto found = std::ranges::find(sum, one.device, &DeviceUse::device);
    if (found == sum.end()) continue;
    found->model -= one.model;
    found->context -= one.context;
    found->compute -= one.compute;
    found->mapped -= one.mapped;
    found->layers -= one.layers;
  }
}

inline uint64_t bytes_on(const MemoryUse& use, std::string_view device) {
  const auto found = std::ranges::find(use, device, &DeviceUse::device);
  return found == use.end() ? 0 : found->total();
}

inline uint64_t firm_bytes_on(const MemoryUse& use, std::string_view device) {
  const auto found = std::ranges::find(use, device, &DeviceUse::device);
  return found == use.end() ? 0 : found->firm();
}

// On all devices that are no main memory.
inline uint64_t device_bytes(const MemoryUse& use) {
  uint64_t sum = 0;
  for (const DeviceUse& one : use) {
    if (one.device != kMainMemory) sum += one.total();
  }
  return sum;
}

inline uint64_t host_bytes(const MemoryUse& use) { return bytes_on(use, kMainMemory); }

}  // namespace lh
