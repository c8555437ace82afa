// Checks grammars before a sampler gets them: errors have the line, and nothing reaches stderr.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "guards/grammar_walk.h"
#include "llama/base/handles.h"

namespace lh {

// A vocabulary, and what checks need to know of its tokens. Any thread.
class GrammarTokens {
 public:
  explicit GrammarTokens(const llama_vocab* vocab) : vocab_(vocab) {}
  [[nodiscard]] const llama_vocab* vocab() const { return vocab_; }
  // Reads every token at the first call.
  const GrammarVocabulary& texts() const;

 private:
  const llama_vocab* vocab_;
  mutable std::once_flag once_;
  mutable GrammarVocabulary texts_;
};

// Checks a caller's grammar. Errors: kInvalidGrammar.
Status check_grammar(const GrammarTokens& tokens, const std::string& grammar);

// Checks a grammar made from a schema: the fault, or an empty string. The grammars of one schema share a budget.
std::string fault_of_grammar(const GrammarTokens& tokens, const std::string& grammar, GrammarBudget& budget);

// True if text of such a grammar may begin with the character, judged by its first parts alone; parts after an optional
// one are ignored.
bool may_begin_with(const llama_vocab* vocab, const std::string& grammar, char character);

// True if a rule of a grammar that has been checked has the text in a row, or the token if it is one. Text that only
// classes of characters allow does not count.
bool may_write(const llama_vocab* vocab, const std::string& grammar, std::string_view text,
               const std::vector<llama_token>& tokens);

}  // namespace lh
