// The memory that llama.cpp has allocated: exact, by device, independent of everything else on the machine.
#pragma once

#include <string>

#include "ggml-backend.h"
#include "llama/base/handles.h"
#include "model/memory_footprint.h"

namespace lh {

// The name of the device that has memory of this type, as in DeviceUse.
std::string device_of(ggml_backend_buffer_type_t type);
// The footprint of a context and the weights that it computes with, layers included. `mmap`: the file's pages may serve
// as weights.
MemoryFootprint memory_of(const llama_context* context, std::string weights_key, bool mmap);
// Adds `one` to `sum`, for a holder of both. Weights that both share count once.
void add_footprint(MemoryFootprint& sum, const MemoryFootprint& one);
// The same for a draft model; its layers do not count as the model's.
void add_draft(MemoryFootprint& sum, MemoryFootprint draft);

}  // namespace lh
