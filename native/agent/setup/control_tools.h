// The control tools, which the engine itself carries out, as models see them.
// Must not: carry them out (controls.h).
#pragma once

#include "agent/setup/tier.h"

namespace lh {

// Makes the tools that `setup.control_tools` names. Errors: kInvalidArgument for an unknown name, or for a tool that
// needs tiers or phases if there are none.
[[nodiscard]] Result<AgentTools> make_control_tools(const SessionSetup& setup);

}  // namespace lh
