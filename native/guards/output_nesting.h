// Measures how deep brackets nest in the output of a model or a hook: parsers of output recurse for each level. Not
// specific to a format; it overestimates rather than underestimates.
#pragma once

#include <string_view>

namespace lh {

// llama.cpp's parser takes about 2.6 KiB of stack per level. The smallest stack of a thread on supported systems is 512
// KiB (macOS).
inline constexpr int kMaxOutputDepth = 128;

// True if a parser that begins anywhere in `text` could find values nested deeper than kMaxOutputDepth. `intervals`: a
// closing parenthesis closes a bracket, so that the half-open intervals of a text, [0, 1) and [1, 2), do not add up;
// not for a format that allows one inside its brackets, outside strings.
bool nests_too_deep(std::string_view text, bool intervals);

}  // namespace lh
