// The marks of an answer format: the literal texts that a parser of libllama-common reads, and where its texts end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "peg-parser.h"

namespace lh {

class FormatMarks {
 public:
  explicit FormatMarks(const common_peg_arena& parser);

  [[nodiscard]] bool are_all(std::string_view text) const { return places(text).back() == text.size(); }
  // True if marks and white space alone lead to the beginning of a mark, or of `other`, that the text ends in.
  [[nodiscard]] bool may_go_on(std::string_view text, std::string_view other) const;
  // True if the text begins with a mark of more than words.
  [[nodiscard]] bool begin(std::string_view text) const;
  // True if `text` is not empty, and the beginning of a mark.
  [[nodiscard]] bool begun_by(std::string_view text) const;

 private:
  [[nodiscard]] std::vector<size_t> places(std::string_view text) const;

  std::vector<std::string> literals_;
  std::vector<std::string> ends_;  // of texts, and literals without the white space around them
  bool words_ = false;             // marks may have words between them
};

}  // namespace lh
