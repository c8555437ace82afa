// Collects an answer that comes in pieces whose parts are known.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "generation/output/answer_text.h"

namespace lh {

class TypedOutput final : public AnswerText {
 public:
  // `one_call`: the beginning of a second tool call ends the text.
  explicit TypedOutput(bool one_call) : one_call_(one_call) {}

  // True if the piece belongs to another tool call than the last one did.
  [[nodiscard]] bool leaves_call(const TypedPiece& piece) const {
    return piece.kind == PieceKind::kToolCall && last_call_ >= 0 && piece.call != last_call_;
  }
  // Returns the text that the piece adds, or nothing. Valid until the next call; the caller may move from it.
  std::vector<Piece>& push(const TypedPiece& piece);

  std::vector<Piece>& finish(bool complete) override;
  [[nodiscard]] Result<std::vector<ToolCall>> edited_calls(const std::vector<Edit>& edits,
                                                           Extent extent) const override;

 private:
  struct Call {
    int32_t number = 0;
    std::string id;
    std::string name;
    std::vector<std::pair<size_t, size_t>> ranges;  // of the generated text: its arguments
  };

  // False: the answer may not have this call.
  bool add_to_call(const TypedPiece& piece, size_t begin);

  const bool one_call_;
  std::string text_;  // of all pieces
  std::vector<Call> calls_;
  int32_t last_call_ = -1;
};
static_assert(!std::is_copy_constructible_v<TypedOutput>);

}  // namespace lh
