#include "agent/permissions/call_key.h"

namespace lh {

std::string call_key(const ToolCall& call) { return call.name + '\n' + dump_json(canonical_json(call.args)); }

}  // namespace lh
