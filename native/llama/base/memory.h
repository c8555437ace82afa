// The memory that llama.cpp has allocated: exact, by device, independent of everything else on the machine.
#pragma once

#include <string>

#include "ggml-backend.h"
#include "llama/base/handles.h"
#include "model/holding.h"

namespace lh {

// The name of the device that has memory of this type, as in DeviceUse.
std::string device_of(ggml_backend_buffer_type_t type);
// Memory of a context and its weights, layers included. `mmap`: whether weights may be mapped pages of the file.
Holding memory_of(const llama_context* context, std::string weights_key, bool mmap);
// Adds `one` for the same model. Weights that both have count once.
void add_holding(Holding& sum, const Holding& one);
// The same for a draft model, whose layers are not the model's.
void add_draft(Holding& sum, Holding draft);

}  // namespace lh
