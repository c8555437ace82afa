// The addresses of RPC servers, checked before the backend parses them.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace lh {

// `option`: its name in errors. Errors: kInvalidArgument.
[[nodiscard]] Status check_rpc_servers(const std::vector<std::string>& servers, const std::string& option);

}  // namespace lh
