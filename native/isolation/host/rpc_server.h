// The same program in another role: it lends this machine's devices to engines on other machines.
#pragma once

#include <string>

namespace lh {

// `options`: JSON with `libraries`, `gpu_module`, `rpc_module`, `address` and `threads`. Writes a line of JSON with the
// devices to stdout: `lends`. Serves until its stdin ends; returns an exit code, with the reason on stderr, if it
// cannot.
[[nodiscard]] int run_rpc_server(const std::string& options);

}  // namespace lh
