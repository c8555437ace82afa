#include "model/device.h"

namespace lh {

const char* device_type_name(DeviceType type) {
  switch (type) {
    case DeviceType::kCpu: return "cpu";
    case DeviceType::kGpu: return "gpu";
    case DeviceType::kIntegratedGpu: return "igpu";
    case DeviceType::kAccelerator: break;
  }
  return "accel";
}

}  // namespace lh
