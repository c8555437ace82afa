#include "engine/event_stream.h"

namespace lh {

void EventStream::piece(const StreamedPiece& piece) {
  if (!task_.wants_events()) return;
  Json event = {{"type", "token"},
                {"index", piece.index},
                {"token", piece.token},
                {"text", piece.text},
                {"kind", piece_kind_name(piece.kind)}};
  if (piece.logprob != nullptr) event["logprob"] = *piece.logprob;
  if (held_) {
    waiting_.push_back(dump_json(event));
    return;
  }
  shown_ = true;
  task_.emit(dump_json(event));
}

void EventStream::progress(const PromptProgress& progress) {
  if (!task_.wants_events()) return;
  task_.emit(dump_json({{"type", "prompt_progress"},
                        {"processed", progress.processed},
                        {"total", progress.total},
                        {"cached", progress.cached}}));
}

void EventStream::text(PieceKind kind, const std::string& text) {
  if (!text.empty()) piece({0, -1, kind, text, nullptr});
}

void EventStream::replace(const ParsedOutput& output) {
  if (!task_.wants_events()) return;
  if (!held_) {
    task_.emit(dump_json({{"type", "replaced"}, {"text", output.content}, {"reasoning", output.reasoning}}));
    return;
  }
  waiting_.clear();
  text(PieceKind::kReasoning, output.reasoning);
  text(PieceKind::kContent, output.content);
}

void EventStream::discard() {
  waiting_.clear();
  if (shown_) replace({});
  shown_ = false;
}

void EventStream::release() {
  for (const std::string& event : waiting_) task_.emit(event);
  waiting_.clear();
}

}  // namespace lh
