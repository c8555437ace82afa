// Cuts long text into pieces that llama.cpp tokenizes one by one, so that the work can be cancelled in between, and so
// that no piece has a run on which llama.cpp's regular expressions would exhaust the stack.
#pragma once

#include <cstddef>
#include <string_view>

#include "llama.h"

namespace lh {

// Any thread.
class TextCutter {
 public:
  explicit TextCutter(const llama_model* model);

  // The end of the piece that begins at `begin`. Pieces end where no token of the vocabulary reaches across: between
  // two words, or after a line. If no such place is within kMost, or a run without (or of) white space exceeds what
  // llama.cpp survives, a piece ends between two characters: the tokens may then differ from those of the whole text,
  // but spell the same text.
  [[nodiscard]] size_t piece_end(std::string_view text, size_t begin) const;

  // The kind of tokenizer can continue a text at all.
  [[nodiscard]] bool can_cut() const { return kind_ != Kind::kOther; }
  // The tokenizer would begin each piece with a space; after a line end it does not.
  [[nodiscard]] bool adds_space() const { return adds_space_; }

  static constexpr size_t kUsual = 32UL << 10;
  static constexpr size_t kMost = 128UL << 10;
  static constexpr size_t kMostRun = 8UL << 10;  // a run of 16 KiB takes half of a stack of 8 MiB

 private:
  enum class Kind { kWords, kMerges, kOther };

  void look_at(std::string_view token);
  [[nodiscard]] bool is_safe(std::string_view text, size_t at) const;

  Kind kind_ = Kind::kOther;
  bool at_spaces_ = true;  // no token reaches from a letter across a space
  bool at_lines_ = true;   // no token reaches from a line end to a letter
  bool adds_space_ = false;
  size_t usual_ = kMostRun;
  size_t most_run_ = kMostRun;
};

}  // namespace lh
