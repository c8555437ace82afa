#include "generation/event_stream.h"

#include <utility>

namespace lh {

void EventStream::piece(const StreamedPiece& piece) {
  if (!sink_.wanted()) return;
  TokenEvent event{piece.index, piece.token, piece.kind, piece.text, std::nullopt};
  if (piece.logprob != nullptr) event.logprob = *piece.logprob;
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
  if (!text.empty()) piece({0, -1, kind, text, nullptr});
}

void EventStream::replace(const ParsedOutput& output) {
  waiting_.clear();  // also when nobody reads now: a reader that comes back must not get what was replaced
  if (!sink_.wanted()) return;
  if (!held_) {
    sink_.emit(ReplacedEvent{output.content, output.reasoning});
    return;
  }
  text(PieceKind::kReasoning, output.reasoning);
  text(PieceKind::kContent, output.content);
}

void EventStream::discard() {
  waiting_.clear();
  if (shown_) replace({});
  shown_ = false;
}

void EventStream::release() {
  for (const Event& event : waiting_) sink_.emit(event);
  waiting_.clear();
}

}  // namespace lh
