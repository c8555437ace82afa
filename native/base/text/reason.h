// Why something was stopped, in words. Must not: be empty where a decision, a result or the model shows it.
#pragma once

#include <string>
#include <string_view>

namespace lh {

// The reason of a veto that has none.
inline constexpr std::string_view kNoReason = "no reason given";

// `given` as well-formed UTF-8; `otherwise` if nothing in it can be read: it has blanks, control characters and U+FFFD
// only.
std::string reason_or(std::string_view given, std::string_view otherwise = kNoReason);

}  // namespace lh
