// What this process and the devices hold, for measuring what a load really took.
#pragma once

#include <cstdint>

namespace lh {

// Resident main memory of this process in bytes; 0 where the system does not tell.
uint64_t resident_bytes();

// Free memory of all GPUs together, in bytes.
uint64_t free_gpu_bytes();

}  // namespace lh
