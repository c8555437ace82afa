// Finds grammars for which llama.cpp's parser would work endlessly instead of reporting an error. All other mistakes
// are left to that parser.
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

inline constexpr int kMaxGbnfDepth = 512;              // of parentheses: the parser recurses for each
inline constexpr uint64_t kMaxGbnfElements = 1 << 21;  // after repetitions are written out, at 8 bytes each

// Finds repetitions {m,n} with n < m, repetitions that make the grammar too large, and parentheses that are nested too
// deeply.
std::optional<GbnfFault> check_gbnf(std::string_view grammar);

// "line 3, column 7" for a byte of `text`; both count from 1, the column in bytes.
std::string line_and_column(std::string_view text, size_t offset);

}  // namespace lh
