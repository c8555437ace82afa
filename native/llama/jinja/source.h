// The source of a chat template, looked at before llama.cpp's parser, which recurses as deep as the source nests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "jinja/lexer.h"

namespace lh {

inline constexpr size_t kMostTemplateBytes = 512 * 1024;
inline constexpr uint32_t kMostTemplateNesting = 256;
inline constexpr uint32_t kMostTemplateNames = 4096;

struct TemplateShape {
  uint32_t nesting = 0;  // at least as deep as the parser recurses, and as its tree is deep
  uint32_t names = 0;    // different ones
};

[[nodiscard]] TemplateShape shape_of(const jinja::lexer_result& source);

// Why the template is not parsed, as a sentence about it; none if it can be. Before and after the lexer.
[[nodiscard]] std::optional<std::string> fault_of_size(const std::string& source);
[[nodiscard]] std::optional<std::string> fault_of_shape(const TemplateShape& shape);

}  // namespace lh
