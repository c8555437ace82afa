// Log probabilities of the tokens of an answer, until the text of each token is settled: it may be held back, released
// in one piece with other tokens, or removed.
// Must not: show the text of a token that a hook has changed, or has had no chance to change.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <type_traits>
#include <vector>

#include "generation/output/output_splitter.h"
#include "model/generator.h"

namespace lh {

// A generated token and its probability.
struct RatedToken {
  int32_t index = 0;  // position in the answer, from 0
  int32_t token = -1;
  PieceKind kind = PieceKind::kContent;
  std::string bytes;   // maybe a part of a character
  double logprob = 0;  // natural logarithm
  Candidates top;
  size_t begin = 0;     // its text in the text as generated
  bool is_seen = true;  // hooks have seen all of its text
};
using RatedTokens = std::vector<RatedToken>;

class TokenRatings {
 public:
  TokenRatings() = default;
  TokenRatings(const TokenRatings&) = delete;
  TokenRatings& operator=(const TokenRatings&) = delete;

  // A token is about to go through the splitter.
  void add(const Token& token, int32_t index, const OutputSplitter& splitter);
  // It has.
  void settle(const OutputSplitter& splitter);
  // The tokens whose text ends in a piece, or in the markup before it.
  [[nodiscard]] RatedTokens take(const Piece& piece);
  // The text has ended.
  void finish(const OutputSplitter& splitter);
  // The tokens behind the last piece, up to the end of the text.
  [[nodiscard]] RatedTokens take_rest();

 private:
  struct Open {
    RatedToken token;
    size_t end = kUnknown;
  };
  static constexpr size_t kUnknown = static_cast<size_t>(-1);

  void settle_all(size_t end);
  RatedTokens take_until(size_t end, PieceKind kind);

  std::deque<Open> open_;
  std::string unfinished_;                  // bytes of a character
  size_t length_ = 0;                       // of the text, once it has ended
  size_t unsettled_ = 0;                    // how many at the end of open_ have no end yet
  size_t unseen_from_ = 0;                  // behind the last piece: text from there on is in no piece
  size_t unseen_to_ = 0;                    // where the current piece begins
  PieceKind before_ = PieceKind::kContent;  // of the last piece
};
static_assert(!std::is_copy_constructible_v<TokenRatings>);

}  // namespace lh
