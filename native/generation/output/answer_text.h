// The text of one answer while it arrives, divided into its parts. It has two implementations: output_splitter.h
// divides the tokens of a model by the format of its chat template, typed_output.h collects pieces whose parts are
// known.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "model/generator.h"

namespace lh {

const char* piece_kind_name(PieceKind kind);

struct Piece {
  static constexpr size_t kNowhere = static_cast<size_t>(-1);

  PieceKind kind = PieceKind::kContent;
  std::string text;
  size_t begin = kNowhere;  // position in the text as generated; kNowhere: the parser built it from other text
  size_t end = 0;           // of the generated text that it comes from
};

// A range of the generated text, and the text that hooks put in its place.
struct Edit {
  size_t begin;
  size_t end;
  std::string text;
};

// `text` with the ranges replaced; `edits` are in order and do not overlap.
std::string with_edits(const std::vector<Edit>& edits, std::string_view text);

class AnswerText {
 public:
  // The state of the text: it grows; it was cut off; the model ended it.
  enum class Extent { kGrowing, kCut, kComplete };

  AnswerText() = default;
  virtual ~AnswerText() = default;
  AnswerText(const AnswerText&) = delete;
  AnswerText& operator=(const AnswerText&) = delete;

  // Returns the rest at the end. `complete`: the model ended by itself, so the text must follow the format. Valid until
  // the next call; the caller may move from it.
  virtual std::vector<Piece>& finish(bool complete) = 0;
  // True: text behind this point does not belong to the answer.
  [[nodiscard]] bool stopped() const { return stopped_; }
  // The stop string that ended the text; empty: none did, or the model knows it alone.
  [[nodiscard]] const std::string& stop_text() const { return stop_text_; }
  // The output in its parts as far as they are known. After finish(): the whole, without an incomplete tool call.
  [[nodiscard]] const ParsedOutput& output() const { return output_; }
  // After finish(): whether the output followed the format. If not, text that looked like calls is content, and the
  // answer has no calls.
  [[nodiscard]] const Status& status() const { return status_; }
  // The tool calls that the text has once hooks have changed parts of it; one that is not complete has no arguments.
  [[nodiscard]] virtual Result<std::vector<ToolCall>> edited_calls(const std::vector<Edit>& edits,
                                                                   Extent extent) const = 0;

 protected:
  std::vector<Piece> pieces_;  // that the last call returned
  ParsedOutput output_;
  Status status_;
  bool stopped_ = false;
  std::string stop_text_;
};
static_assert(!std::is_copy_constructible_v<AnswerText>);

}  // namespace lh
