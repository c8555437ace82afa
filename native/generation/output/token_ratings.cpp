#include "generation/output/token_ratings.h"

#include <cmath>
#include <utility>

#include "base/text/utf8.h"

namespace lh {

void TokenRatings::add(const Token& token, int32_t index, const OutputSplitter& splitter) {
  open_.push_back({{index, token.id, PieceKind::kContent, token.bytes, token.logprob, token.top, splitter.read()}});
  ++unsettled_;
  unfinished_ += token.bytes;
  unfinished_.erase(0, whole_utf8_prefix(unfinished_));
}

// The bytes of an unfinished character belong to the text that completes it. A token that completes a stop text has no
// end: at least a part of it is not in the output.
void TokenRatings::settle(const OutputSplitter& splitter) {
  if (!splitter.stopped() && unfinished_.empty()) settle_all(splitter.read());
}

void TokenRatings::settle_all(size_t end) {
  for (; unsettled_ > 0; --unsettled_) open_[open_.size() - unsettled_].end = end;
}

void TokenRatings::finish(const OutputSplitter& splitter) {
  length_ = splitter.read();
  if (!splitter.stopped()) settle_all(length_);
}

RatedTokens TokenRatings::take(const Piece& piece) {
  if (piece.text.empty()) return {};
  // A text that the parser built from other text is not the text of its tokens.
  unseen_to_ = piece.begin == Piece::kNowhere ? piece.end : piece.begin;
  RatedTokens taken = take_until(piece.end, piece.kind);
  unseen_from_ = piece.end;
  before_ = piece.kind;
  return taken;
}

RatedTokens TokenRatings::take_rest() {
  unseen_to_ = length_;
  return take_until(length_, before_);
}

RatedTokens TokenRatings::take_until(size_t end, PieceKind kind) {
  RatedTokens taken;
  while (!open_.empty() && open_.front().end <= end) {
    RatedToken& token = open_.front().token;
    // Text of a call stays text of a call, also where the token ends behind it.
    token.kind = token.begin < unseen_to_ && before_ == PieceKind::kToolCall ? before_ : kind;
    const bool in_gap = token.begin < unseen_to_ && open_.front().end > unseen_from_ && unseen_from_ < unseen_to_;
    token.is_seen = !in_gap;
    if (std::isfinite(token.logprob)) taken.push_back(std::move(token));  // JSON has no infinity
    open_.pop_front();
  }
  return taken;
}

}  // namespace lh
