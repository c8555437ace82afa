// What llama.cpp has allocated: exact, by device, whatever else the process and the machine do meanwhile.
#pragma once

#include "inference/llama_handles.h"
#include "inference/memory_use.h"

namespace lh {

// Of a model and one context on it. `mmap`: whether the file's pages may serve as weights.
MemoryUse memory_of(const llama_context* context, bool mmap);

}  // namespace lh
