// Asks the linked llama.cpp about model architectures. Must not: keep a separate list; it would go stale.
#pragma once

#include <string>
#include <string_view>

namespace lh {

// True if llama.cpp supports models of that general.architecture. Any thread.
bool architecture_known(std::string_view architecture);

// True if the model in the GGUF at `path` is recurrent (Mamba, LFM2 ...). Any thread; false if the file cannot be read.
bool file_is_recurrent(const std::string& path);

}  // namespace lh
