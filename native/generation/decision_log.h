// What hooks decided during one piece of work, for its result.
#pragma once

#include <optional>
#include <vector>

#include "hooks/dispatch/decision.h"

namespace lh {

// What a hook did shows in the result; a point without hooks decided nothing.
inline void keep(std::vector<Decision>& decisions, const Decision& decision) {
  if (!decision.hooks.empty()) decisions.push_back(decision);
}

// Where an error comes of what hooks answered: what they decided.
using Refusal = std::optional<Decision>;

}  // namespace lh
