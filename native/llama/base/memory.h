// The memory that llama.cpp has allocated: exact, by device, independent of everything else on the machine.
#pragma once

#include <string>

#include "ggml-backend.h"
#include "llama/base/handles.h"
#include "model/memory_footprint.h"

namespace lh {

// The name of the device that has memory of this type, as in DeviceUse.
std::string device_of(ggml_backend_buffer_type_t type);
// Of a context and the weights that it computes with, layers included. `mmap`: whether the file's pages may serve as
// weights.
MemoryFootprint memory_of(const llama_context* context, std::string weights_key, bool mmap);
// One who has both. Weights that both have are there once.
void add_footprint(MemoryFootprint& sum, const MemoryFootprint& one);
// The same, of a draft model, whose layers are none of the model's.
void add_draft(MemoryFootprint& sum, MemoryFootprint draft);

}  // namespace lh
