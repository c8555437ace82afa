// Splits a model's output while it is written: complete characters, stop strings, and the part that each piece belongs
// to. It sees the text as generated, before hooks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/utf8.h"
#include "model/generator.h"

namespace lh {

enum class PieceKind { kContent, kReasoning, kToolCall };
const char* piece_kind_name(PieceKind kind);

struct Piece {
  static constexpr size_t kNowhere = static_cast<size_t>(-1);

  PieceKind kind = PieceKind::kContent;
  std::string text;
  size_t begin = kNowhere;  // where it stands in the text as generated; kNowhere: the parser made it of other text
};

class OutputSplitter {
 public:
  // `stops` end the text before they appear in it.
  OutputSplitter(const OutputFormat& format, std::vector<std::string> stops)
      : format_(format), stops_(std::move(stops)) {}

  // What a token's bytes add: one piece, or more where a token ends one part and begins the next. The text of the only
  // piece is empty while a character, a stop string or a tag may go on. Pieces of tool calls are the text as generated.
  // Good until the next call, and the caller's to take from.
  std::vector<Piece>& push(std::string_view bytes);
  // What is left at the end; `complete`: the model ended by itself, so that the text must follow the format.
  std::vector<Piece>& finish(bool complete);

  [[nodiscard]] bool stopped() const { return stopped_; }
  // After finish(): the whole output taken apart; without a tool call that was cut off.
  [[nodiscard]] const ParsedOutput& output() const { return output_; }
  // After finish(): whether it followed the format. If not, what looked like calls is content, and nothing is a call.
  [[nodiscard]] const Status& status() const { return status_; }
  // All that was generated, up to a stop string.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string take_text(std::string_view text);
  void attribute(const std::string& text);
  [[nodiscard]] Status take_apart(bool partial);
  void give_up(Status why);
  void add_growth(PieceKind kind, const std::string& before, const std::string& now, size_t& at);
  void add_call_text(const std::vector<ToolCall>& calls, size_t& at);
  [[nodiscard]] std::optional<PieceKind> part_under_way() const;

  const OutputFormat& format_;
  const std::vector<std::string> stops_;
  Utf8Assembler utf8_;
  std::string held_;       // may be the beginning of a stop string
  std::string text_;       // released so far, as generated
  std::string pending_;    // the end of text_ that is not yet part of a piece
  std::string call_text_;  // of all pieces of tool calls
  std::vector<Piece> pieces_;
  std::optional<PieceKind> under_way_;  // what text is part of until the next mark; none while that is not certain
  ParsedOutput output_;
  Status status_;
  bool stopped_ = false;
};

}  // namespace lh
