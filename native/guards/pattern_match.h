// Matches whole texts against the patterns of schemas.
#pragma once

#include <functional>
#include <string_view>

#include "guards/pattern.h"

namespace lh {

// `text` is UTF-8. `spend` gets the steps that follow; once it gives false, the outcome means nothing.
[[nodiscard]] bool matches(const Pattern& pattern, std::string_view text, const std::function<bool(size_t)>& spend);

}  // namespace lh
