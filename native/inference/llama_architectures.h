// Which model architectures the linked llama.cpp can run. Must not: keep a list of its own.
#pragma once

#include <string_view>

namespace lh {

// Asks llama.cpp to begin a model of that general.architecture. Any thread.
bool architecture_known(std::string_view architecture);

}  // namespace lh
