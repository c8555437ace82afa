// The memory that a model takes on each device, by purpose.
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
  uint64_t mapped = 0;  // part of the weights: file pages, which the system can reclaim
  int32_t layers = 0;   // number of the model's layers on the device

  [[nodiscard]] uint64_t total() const { return model + context + compute; }
  // Memory that the system cannot reclaim.
  [[nodiscard]] uint64_t firm() const { return total() - mapped; }
};

// At most one entry per device.
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

// Subtracts what was added.
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

// On all devices except main memory.
inline uint64_t device_bytes(const MemoryUse& use) {
  uint64_t sum = 0;
  for (const DeviceUse& one : use) {
    if (one.device != kMainMemory) sum += one.total();
  }
  return sum;
}

inline uint64_t host_bytes(const MemoryUse& use) { return bytes_on(use, kMainMemory); }

}  // namespace lh
