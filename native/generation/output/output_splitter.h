// Splits a model's output while it is written: complete characters, stop strings, and the part that each piece belongs
// to. It sees the text as generated, before hooks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/utf8.h"
#include "generation/output/answer_text.h"
#include "model/generator.h"

namespace lh {

class OutputSplitter final : public AnswerText {
 public:
  // Texts that end the output, and are not part of it.
  struct Stops {
    std::vector<std::string> anywhere;
    std::vector<std::string> in_content = {};  // but not in reasoning and in tool calls
  };

  // `one_call`: the beginning of a second tool call ends the output, too.
  OutputSplitter(const OutputFormat& format, Stops stops, bool one_call = false)
      : format_(format), stops_(std::move(stops)), one_call_(one_call) {}

  // Returns what a token's bytes add: one piece, or several if the token ends one part and begins the next. The text of
  // a single piece is empty while a character, a stop string or a tag may continue. Pieces of tool calls are the text
  // as generated. Valid until the next call; the caller may move from it.
  std::vector<Piece>& push(std::string_view bytes);
  std::vector<Piece>& finish(bool complete) override;

  // True while the text is inside a tool call. Such text is seldom parsed; parse_next() makes the next text be parsed.
  [[nodiscard]] bool in_call() const { return under_way_ == PieceKind::kToolCall; }
  void parse_next() { under_way_.reset(); }
  // The number of parses so far.
  [[nodiscard]] size_t parses() const { return parses_; }
  // The text of all pieces, with the markup between them.
  [[nodiscard]] std::string_view passed_on() const {
    return std::string_view(text_).substr(0, text_.size() - pending_.size());
  }

  // The length of the text as generated that has been read, with what is held back for a stop string.
  [[nodiscard]] size_t read() const { return text_.size() + held_.size(); }

  // Parses with all the text before them: many formats recognise a call only by its context.
  [[nodiscard]] Result<std::vector<ToolCall>> edited_calls(const std::vector<Edit>& edits,
                                                           Extent extent) const override;
  // All generated text, up to a stop string.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string take_text(std::string_view text);
  [[nodiscard]] bool is_content(size_t at, const std::string& stop) const;
  void attribute(const std::string& text);
  [[nodiscard]] Status take_apart(bool partial);
  void give_up(Status why);
  void take_begun();
  void add_growth(PieceKind kind, const std::string& before, const std::string& now, size_t& at);
  void add_call_text(const std::vector<ToolCall>& calls, size_t& at);
  [[nodiscard]] std::optional<PieceKind> part_under_way() const;

  const OutputFormat& format_;
  const Stops stops_;
  const bool one_call_;
  Utf8Assembler utf8_;
  std::string held_;                    // possible beginning of a stop string
  std::string text_;                    // released so far, as generated
  std::string pending_;                 // the end of text_ that is not yet part of a piece
  std::string call_text_;               // of all pieces of tool calls
  std::optional<PieceKind> under_way_;  // the part that text belongs to until the next mark; none: uncertain
  size_t parses_ = 0;
};

}  // namespace lh
