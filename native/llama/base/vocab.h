// Converts text to tokens and back with one model's vocabulary. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llama.h"

namespace lh {

std::vector<int32_t> tokenize(const llama_vocab* vocab, std::string_view text, bool add_special, bool parse_special);

// The bytes of one token, maybe a part of a character. Control tokens are empty unless `special`.
std::string token_bytes(const llama_vocab* vocab, int32_t token, bool special);

// The tokens that end an answer. Checks every token: some milliseconds for 150,000.
std::vector<int32_t> end_tokens(const llama_vocab* vocab);

}  // namespace lh
