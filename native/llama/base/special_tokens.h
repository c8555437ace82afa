// Divides text into special tokens and the text between them, as llama.cpp does, in time that grows with the text and
// not with the number of special tokens in it. Can read marked places as plain text.
// Must not: divide otherwise than llama.cpp where no mark is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/threads/cancel.h"
#include "llama.h"
#include "llama/base/byte_trie.h"

namespace lh {

// A place in a text at which no control token may be read.
struct TokenMark {
  size_t at = 0;
  // Negative: any token that begins before the place and ends behind it. Otherwise also this token, ending there.
  int32_t token = -1;
};

// Sorted by place.
using TokenMarks = std::vector<TokenMark>;

// A part of a text: a special token, or text without one.
struct Fragment {
  size_t begin = 0;
  size_t end = 0;
  int32_t token = -1;  // negative: text
};

struct SpecialToken {
  int32_t id = 0;
  std::string_view text;
  bool control = false;  // also an unknown token: is read only where special tokens are parsed
  bool strips_left = false;
  bool strips_right = false;
};

// Any thread. The vocabulary must outlive it.
class SpecialTokenTable {
 public:
  explicit SpecialTokenTable(const llama_vocab* vocab);

  // Sorted as llama.cpp looks for them: the longest first.
  [[nodiscard]] const std::vector<SpecialToken>& all() const { return tokens_; }

  // The parts of `text` in order, without space that tokens strip. `parse_special` false: control tokens are text.
  // Errors: those of `cancel`, which may be null.
  [[nodiscard]] Result<std::vector<Fragment>> divide(std::string_view text, bool parse_special, const TokenMarks& marks,
                                                     const CancelFlag* cancel) const;

 private:
  class Divider;
  struct Place {
    int32_t token = 0;  // in tokens_
    size_t at = 0;
  };
  struct Ranks {  // of tokens_
    int32_t begin = 0;
    int32_t end = 0;
  };
  [[nodiscard]] Result<bool> find(std::string_view text, Ranks ranks, bool parse_special, const Divider& divider,
                                  std::vector<Place>& places, const CancelFlag* cancel) const;

  std::vector<SpecialToken> tokens_;
  ByteTrie texts_;  // values: places in tokens_
};

// The error of work that `cancel` ended, if it did.
[[nodiscard]] Status cancelled_while_tokenizing(const CancelFlag* cancel);

}  // namespace lh
