// A device that computes, as ggml names it.
#pragma once

#include <cstdint>
#include <string>

namespace lh {

enum class DeviceType { kCpu, kGpu, kIntegratedGpu, kAccelerator };
const char* device_type_name(DeviceType type);  // "cpu", "gpu", "igpu", "accel"

struct Device {
  std::string name;
  std::string description;
  DeviceType type = DeviceType::kCpu;
  uint64_t total_bytes = 0;
  uint64_t free_bytes = 0;

  [[nodiscard]] bool is_gpu() const { return type == DeviceType::kGpu || type == DeviceType::kIntegratedGpu; }
};

}  // namespace lh
