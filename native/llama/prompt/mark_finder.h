// Finds the control tokens of the vocabulary that a text of a conversation spells out, whole, or in part at its ends.
// The time grows with the text and not with the number of tokens in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llama/base/byte_trie.h"
#include "llama/base/special_tokens.h"

namespace lh {

// Immutable. The tokens must outlive it.
class MarkFinder {
 public:
  // `inspected`: texts that the template looks for, which marks must leave as they are.
  MarkFinder(const SpecialTokenTable& tokens, const std::vector<std::string>& inspected);

  // The marks that `text` needs, so that no prompt with it has a control token that is made of the text or a part of
  // it. Almost always empty.
  [[nodiscard]] TokenMarks find(std::string_view text) const;

  // Those of `marks` that forbid a token which the text has.
  [[nodiscard]] TokenMarks effective(std::string_view text, const TokenMarks& marks) const;

 private:
  // A part of a control token without which the part is not worth a thought: "im_end" of "<|im_end|>".
  struct Core {
    size_t begin = 0;
    size_t end = 0;
  };

  struct Span {
    size_t begin = 0;
    size_t end = 0;
  };

  // Returns where `text` contains texts of inspected_, in the order in which they begin.
  [[nodiscard]] std::vector<Span> find_inspected(std::string_view text) const;
  void find_whole(std::string_view text, const std::vector<Span>& inspected, TokenMarks& marks) const;
  void find_at_ends(std::string_view text, TokenMarks& marks) const;
  void find_joined(std::string_view text, const std::vector<Span>& inspected, TokenMarks& marks) const;

  std::vector<SpecialToken> tokens_;  // control tokens
  std::vector<Core> cores_;           // of each
  ByteTrie texts_;                    // of the tokens; values: places in tokens_
  ByteTrie core_texts_;               // values: places in same_core_
  std::vector<std::vector<int32_t>> same_core_;
  size_t longest_ = 0;
  std::vector<std::string> inspected_;
  ByteTrie inspected_texts_;  // values: places in inspected_
};

}  // namespace lh
