// Grammars, checked before a sampler gets them: errors name the line, and nothing reaches stderr.
// Must not: sample.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "llama/base/handles.h"

namespace lh {

// Of a grammar that a caller wrote. Fails with kInvalidGrammar.
Status check_grammar(const llama_vocab* vocab, const std::string& grammar);

// Of a grammar that was made from a schema: what is wrong with it, or an empty string.
std::string fault_of_grammar(const llama_vocab* vocab, const std::string& grammar);

// Whether what such a grammar allows may begin with that character, by its first parts alone: what follows one that may
// be left out is not looked at.
bool may_begin_with(const llama_vocab* vocab, const std::string& grammar, char character);

}  // namespace lh
