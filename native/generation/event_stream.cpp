#include "generation/event_stream.h"

#include <cmath>
#include <utility>
#include <variant>

namespace lh {

void EventStream::piece(const StreamedPiece& piece) {
  const bool rated = piece.logprob != nullptr && std::isfinite(*piece.logprob);
  if (!rated && !sink_.wanted()) return;
  TokenEvent event{piece.index, piece.token, piece.kind, piece.text, std::nullopt, {}};
  if (piece.top != nullptr) event.top = *piece.top;
  if (rated) {
    event.logprob = *piece.logprob;
    rated_.push_back(event);
    if (!sink_.wanted()) return;
  }
  if (held_) {
    waiting_.emplace_back(std::move(event));
    return;
  }
  shown_ = true;
  sink_.emit(std::move(event));
}

void EventStream::progress(const PromptProgress& progress) {
  if (sink_.wanted()) sink_.emit(progress);
}

void EventStream::text(PieceKind kind, const std::string& text) {
  if (!text.empty()) piece({0, -1, kind, text, nullptr, nullptr});
}

void EventStream::replace(const ParsedOutput& output) {
  rated_.clear();
  waiting_.clear();  // even if nobody reads now: a returning reader must not get replaced text
  if (!sink_.wanted()) return;
  if (!held_) {
    sink_.emit(ReplacedEvent{output.content, output.reasoning});
    return;
  }
  text(PieceKind::kReasoning, output.reasoning);
  text(PieceKind::kContent, output.content);
}

void EventStream::discard() {
  rated_.clear();
  waiting_.clear();
  if (shown_) replace({});
  shown_ = false;
}

void EventStream::forget_candidates() {
  for (TokenEvent& token : rated_) token.top.reset();
  for (Event& event : waiting_) {
    if (auto* token = std::get_if<TokenEvent>(&event)) token->top.reset();
  }
}

void EventStream::release() {
  for (const Event& event : waiting_) sink_.emit(event);
  waiting_.clear();
}

}  // namespace lh
