// Checks the vocabulary of a GGUF file for what makes llama.cpp abort, hang or fail without saying where.
// Must not: include a llama.cpp header, or refuse a vocabulary that llama.cpp loads and tokenizes with.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "gguf/file.h"

namespace lh {

// The number of tokens, once the vocabulary is found sound.
[[nodiscard]] Result<uint64_t> check_vocab(const GgufFile& file);

}  // namespace lh
