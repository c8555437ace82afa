// The tools that the engine itself carries out, as models are told of them.
// Must not: carry them out (controls.h).
#pragma once

#include "agent/setup/tier.h"

namespace lh {

// Those that `setup.control_tools` names. Errors: kInvalidArgument for a name that is none, or one that needs tiers or
// phases where there are none.
[[nodiscard]] Result<AgentTools> make_control_tools(const SessionSetup& setup);

}  // namespace lh
