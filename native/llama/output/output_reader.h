// Reads an output with a parser of libllama-common, and keeps a ledger of the text: all of it is text of the answer,
// reasoning, a call, or marks of the format. Some of these parsers succeed before the end of the text, and some skip
// parts of it; what they leave over is text of the answer.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat.h"
#include "llama/output/false_marks.h"
#include "llama/output/format_marks.h"
#include "llama/output/loose_parser.h"
#include "model/generator.h"
#include "peg-parser.h"

namespace lh {

struct Reading {
  common_chat_msg message;  // its content has what the parser left over, in its place
  std::optional<Unread> unread;
};

class OutputReader {
 public:
  // `openers`: the marks that begin calls. `params` outlive the reader.
  OutputReader(const common_chat_parser_params& params, std::vector<std::string> openers);

  // None: the text does not follow the format. `partial`: it may end anywhere. Throws what libllama-common throws.
  [[nodiscard]] std::optional<Reading> read(std::string_view text, bool partial) const;
  // The message, if nothing of the text is left over. A single parse. Throws as read().
  [[nodiscard]] std::optional<common_chat_msg> read_all(std::string_view text) const;

  [[nodiscard]] bool begins_mark(std::string_view text) const { return marks_.only_begun_by(text); }

 private:
  struct Span;
  struct Pass;
  struct Message;

  // `anew`: without what is known of the beginning of the text.
  [[nodiscard]] std::optional<Reading> read_message(const Message& message, bool partial, bool anew = false) const;
  void read_on(const Message& message, size_t next, bool partial, Reading& reading) const;
  [[nodiscard]] Unread unread_at(size_t at) const;
  [[nodiscard]] Pass parse(const std::string& shown) const;
  [[nodiscard]] Pass parse_with(const common_peg_arena& parser, const std::string& shown) const;
  [[nodiscard]] size_t dubious_place(const common_peg_ast_node& argument) const;
  [[nodiscard]] size_t false_mark(const Message& message, const std::string& shown, const Pass& pass,
                                  bool partial) const;
  [[nodiscard]] size_t next_message(const Message& message, const Pass& pass) const;
  static void drop_prompt(const Message& message, Pass& pass);
  [[nodiscard]] Reading settle(const Message& message, Pass pass, size_t end, bool partial) const;
  [[nodiscard]] std::string_view left_behind(const Message& message, const Pass& pass, size_t from, size_t end,
                                             bool partial) const;
  [[nodiscard]] size_t first_opener(std::string_view text) const;
  [[nodiscard]] bool is_markup(std::string_view text) const;

  const common_chat_parser_params& params_;
  const std::vector<std::string> openers_;
  const FormatMarks marks_;
  const std::vector<std::string> bare_ends_;
  mutable FalseMarks false_marks_;
  mutable std::once_flag loosened_;
  mutable common_peg_arena loose_;  // once it is needed
};

}  // namespace lh
