// Follows a grammar like llama.cpp's sampler does and counts its work, because that can double with each optional part
// and with each character of a token, on the thread that decodes for all generations.
#pragma once

#include <cstdint>
#include <optional>

#include "guards/grammar_budget.h"
#include "guards/grammar_shape.h"
#include "guards/grammar_vocabulary.h"

namespace lh {

// Finds a text after which llama.cpp's sampler would need more than kMaxGrammarStacks, kMaxGrammarWork or
// kMaxGrammarTries for the next token. Grammars that exceed the budget are refused, too, and so are those that were not
// followed to their end because the work was cancelled (CancelScope). llama.cpp must have found no left recursion.
[[nodiscard]] std::optional<GrammarFault> check_grammar_work(const GrammarShape& shape, uint32_t root,
                                                             const GrammarVocabulary& vocabulary,
                                                             GrammarBudget& budget);

}  // namespace lh
