// A caller's GBNF: the guards, llama.cpp's parser, and sampling with what passes.
#include "fuzz/fuzz.h"
#include "fuzz/sample.h"
#include "llama/grammar/gbnf.h"

namespace lh::fuzz {

void fuzz_grammar(std::string_view input) {
  static const GrammarTokens tokens(vocabulary());
  const std::string grammar(input);
  if (check_grammar(tokens, grammar).ok()) sample_some(grammar, std::hash<std::string>()(grammar));
}

}  // namespace lh::fuzz
