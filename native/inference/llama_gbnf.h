// Grammars, checked before a sampler gets them: errors name the line, and nothing reaches stderr.
// Must not: sample.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "inference/llama_handles.h"

namespace lh {

// Of a grammar that a caller wrote. Fails with kInvalidGrammar.
Status check_grammar(const llama_vocab* vocab, const std::string& grammar);

// Of a grammar that was made from a schema: what is wrong with it, or an empty string.
std::string fault_of_grammar(const llama_vocab* vocab, const std::string& grammar);

}  // namespace lh
