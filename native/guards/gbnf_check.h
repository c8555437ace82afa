// What llama.cpp's grammar parser answers with endless work instead of an error: found in the text, before it is
// parsed. Must not: judge anything else; llama.cpp's parser does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lh {

struct GbnfFault {
  size_t offset = 0;  // byte in the grammar
  std::string what;
};

inline constexpr int kMaxGbnfDepth = 512;              // of parentheses: the parser calls itself for each
inline constexpr uint64_t kMaxGbnfElements = 1 << 21;  // after repetitions are written out, at 8 bytes each

// Repetitions {m,n} with n < m, text that repetitions make too large, parentheses nested too deep.
std::optional<GbnfFault> check_gbnf(std::string_view grammar);

// "line 3, column 7" of a byte of `text`; both count from 1, the column in bytes.
std::string line_and_column(std::string_view text, size_t offset);

}  // namespace lh
