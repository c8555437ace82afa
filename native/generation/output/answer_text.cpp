#include "generation/output/answer_text.h"

namespace lh {

const char* piece_kind_name(PieceKind kind) {
  switch (kind) {
    case PieceKind::kReasoning: return "reasoning";
    case PieceKind::kToolCall: return "tool_call";
    case PieceKind::kContent: break;
  }
  return "content";
}

std::string with_edits(const std::vector<Edit>& edits, std::string_view text) {
  std::string edited;
  size_t at = 0;
  for (const Edit& edit : edits) {
    edited.append(text, at, edit.begin - at);
    edited += edit.text;
    at = edit.end;
  }
  return edited.append(text, at);
}

}  // namespace lh
