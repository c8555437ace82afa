// What the linked llama.cpp knows of model architectures. Must not: keep a list of its own.
#pragma once

#include <string>
#include <string_view>

namespace lh {

// Whether llama.cpp can run models of that general.architecture. Any thread.
bool architecture_known(std::string_view architecture);

// Whether the model in the GGUF at `path` carries a state from token to token (Mamba, LFM2 ...). Any thread; false for
// a file that cannot be read.
bool file_is_recurrent(const std::string& path);

}  // namespace lh
