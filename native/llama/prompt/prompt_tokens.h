// Tokenizes prompts. A conversation grows at its end, so the text between two markers of turns is tokenized once. Must
// not: return other tokens than the tokenizer returns for the whole text.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "base/threads/mutex.h"
#include "llama/base/tokenizer.h"

namespace lh {

// Any thread.
class PromptTokenizer {
 public:
  // `tokenizer` must outlive it.
  explicit PromptTokenizer(const Tokenizer& tokenizer);

  // The tokens of Tokenizer::tokenize(), `how` taken over except for add_special and parse_special: includes the tokens
  // that the vocabulary adds, and reads special tokens as such.
  Result<Tokenized> tokenize(const std::string& text, TokenizeHow how = {});

 private:
  using Tokens = std::vector<int32_t>;
  struct Segment {
    std::string text;  // preceded by "+" if the vocabulary adds its tokens, otherwise by "-"
    Tokens tokens;
  };

  [[nodiscard]] bool can_cut() const;
  void find_marks(const Tokens& tokens) LH_REQUIRES(mutex_);
  [[nodiscard]] bool stands_alone(int32_t token) LH_REQUIRES(mutex_);
  [[nodiscard]] Status append_segment(std::string_view text, bool first, TokenizeHow how, Tokenized& to);
  [[nodiscard]] Status append_piece(std::string_view text, bool first, TokenizeHow how, Tokenized& to);
  [[nodiscard]] bool append_known(const std::string& key, Tokens& to);
  void keep(std::string key, Tokens tokens);

  static constexpr size_t kMostBytes = 4UL << 20;  // of texts and tokens kept
  static constexpr size_t kMostMarks = 16;
  static constexpr size_t kLongPiece = 1024;  // bytes; a piece ends behind the first mark that follows

  const Tokenizer& tokenizer_;
  const llama_vocab* vocab_;
  const bool can_cut_;
  std::vector<int32_t> special_;  // tokens that are found before a text is tokenized

  Mutex mutex_;
  // The texts of special tokens behind which texts are divided: all at the first, long segments at the others.
  std::vector<std::string> marks_ LH_GUARDED_BY(mutex_);
  std::map<int32_t, bool> alone_ LH_GUARDED_BY(mutex_);  // known results of stands_alone()
  std::list<Segment> segments_ LH_GUARDED_BY(mutex_);    // most recently used first
  std::unordered_map<std::string_view, std::list<Segment>::iterator> known_ LH_GUARDED_BY(mutex_);
  size_t bytes_ LH_GUARDED_BY(mutex_) = 0;
};

}  // namespace lh
