// What llama.cpp has allocated: exact, by device, whatever else the process and the machine do meanwhile.
#pragma once

#include <string>

#include "ggml-backend.h"
#include "llama/base/handles.h"
#include "model/holding.h"

namespace lh {

// The name of the device that has memory of the type, as DeviceUse has it.
std::string device_of(ggml_backend_buffer_type_t type);
// Of a context and the weights that it computes with, layers included. `mmap`: whether the file's pages may serve as
// weights.
Holding memory_of(const llama_context* context, std::string weights_key, bool mmap);
// One who has both. Weights that both have are there once.
void add_holding(Holding& sum, const Holding& one);
// The same, of a draft model, whose layers are none of the model's.
void add_draft(Holding& sum, Holding draft);

}  // namespace lh
