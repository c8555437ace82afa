// The marks of an answer format: the literal texts that a parser of libllama-common reads, and where its texts end.
// Names of tools and of parameters, and the punctuation of JSON, are not marks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "peg-parser.h"

namespace lh {

class FormatMarks {
 public:
  explicit FormatMarks(const common_peg_arena& parser);

  // True if the text is marks that may lie between the parts of an answer, and white space.
  [[nodiscard]] bool are_all(std::string_view text) const { return places(text).back() == text.size(); }
  // True if marks and white space alone lead to the beginning of a mark, or of `other`, that the text ends in.
  [[nodiscard]] bool may_go_on(std::string_view text, std::string_view other) const;
  // True if the text begins with a mark.
  [[nodiscard]] bool begin(std::string_view text) const;
  // True if `text` is not empty, and the beginning of a mark.
  [[nodiscard]] bool begun_by(std::string_view text) const;
  // True if `text` is the beginning of a mark, and none itself.
  [[nodiscard]] bool only_begun_by(std::string_view text) const;
  // The place of the first mark with which calls begin; npos: there is none.
  [[nodiscard]] size_t first_opener(std::string_view text) const;

 private:
  [[nodiscard]] std::vector<size_t> places(std::string_view text) const;

  std::vector<std::string> literals_;  // that may lie between the parts of an answer
  std::vector<std::string> marks_;    // of more than words, also without the white space around them, and ends of texts
  std::vector<std::string> openers_;  // of calls
  bool words_ = false;                // literals may have words between them
};

// The texts at which the parser ends reasoning, also those that begin what comes behind it, such as a call.
[[nodiscard]] std::vector<std::string> ends_of_reasoning(const common_peg_arena& parser);

}  // namespace lh
