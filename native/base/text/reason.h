// The reason for stopping something. Must not: be empty where a decision, a result or the model shows it.
#pragma once

#include <string>
#include <string_view>

namespace lh {

// The reason of a cancel that gives none.
inline constexpr std::string_view kNoReason = "no reason given";

// `given` as well-formed UTF-8; `otherwise` if it is unreadable, that is, contains only blanks, control characters and
// U+FFFD.
std::string reason_or(std::string_view given, std::string_view otherwise = kNoReason);

}  // namespace lh
