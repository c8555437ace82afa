// Tokenizes with one model's vocabulary: llama.cpp's tokens, in time that grows with the text, and with a way out in
// between.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/threads/cancel.h"
#include "llama.h"
#include "llama/base/special_tokens.h"
#include "llama/base/text_cutter.h"

namespace lh {

struct TokenizeHow {
  bool add_special = false;                          // add the tokens that begin and end a text
  bool parse_special = false;                        // read control tokens; `marks` forbids single places
  const TokenMarks* marks = nullptr;                 // null: none
  const CancelFlag* cancel = nullptr;                // null: cannot be cancelled
  size_t most = std::numeric_limits<size_t>::max();  // stop when there are more tokens
};

struct Tokenized {
  std::vector<int32_t> tokens;
  bool whole = true;  // false: stopped at `most`; there are more
};

// Any thread. The model must outlive it.
class Tokenizer {
 public:
  explicit Tokenizer(const llama_model* model);

  // Errors: those of `how.cancel`.
  [[nodiscard]] Result<Tokenized> tokenize(std::string_view text, const TokenizeHow& how) const;

  // A lower bound for the number of tokens of a text of `bytes` bytes. 0 if the vocabulary may drop text.
  [[nodiscard]] size_t least_tokens(size_t bytes) const;

  [[nodiscard]] const llama_vocab* vocab() const { return vocab_; }
  [[nodiscard]] const SpecialTokenTable& special() const { return special_; }

 private:
  // Facts that only long texts need; looking for them takes some milliseconds.
  struct ForLongText {
    explicit ForLongText(const llama_model* model);
    TextCutter cutter;
    size_t longest = 0;  // bytes of the longest token; 0: a text may have fewer tokens than its bytes tell
  };

  [[nodiscard]] const ForLongText& long_text() const;
  [[nodiscard]] Status append_text(std::string_view text, const TokenizeHow& how, Tokenized& to) const;

  const llama_model* model_;
  const llama_vocab* vocab_;
  const SpecialTokenTable special_;
  mutable std::once_flag once_;
  mutable std::optional<ForLongText> long_text_;
};

}  // namespace lh
