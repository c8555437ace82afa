// The decisions of hooks during one piece of work, for its result.
#pragma once

#include <optional>
#include <vector>

#include "hooks/dispatch/decision.h"

namespace lh {

// Keeps a decision of hooks; a point without hooks decided nothing.
inline void keep(std::vector<Decision>& decisions, const Decision& decision) {
  if (!decision.hooks.empty()) decisions.push_back(decision);
}

// The decision behind an error that a hook's answer caused.
using Refusal = std::optional<Decision>;

}  // namespace lh
