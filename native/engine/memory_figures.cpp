#include "engine/memory_figures.h"

#include <unistd.h>

#include <fstream>

#include "inference/llama_runtime.h"

namespace lh {

uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t size = 0;
  uint64_t resident = 0;
  if (!(statm >> size >> resident)) return 0;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t free_gpu_bytes() {
  uint64_t sum = 0;
  for (const Device& device : devices()) {
    if (device.is_gpu()) sum += device.free_bytes;
  }
  return sum;
}

}  // namespace lh
