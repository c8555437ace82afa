// Devices of other machines, through ggml's RPC backend, which is a separate module.
// Must not: be used in a process that has other work: the module ends its process when a server fails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/device.h"

namespace lh {

// Connects to each server ("host:port") and adds its devices to those of this process. After init_runtime(). Errors:
// kBackendUnavailable.
[[nodiscard]] Status add_rpc_server(const std::string& module, const std::string& server);

// The GPUs of this process, or its CPU if there is none. After init_runtime().
[[nodiscard]] std::vector<Device> lent_devices();

// Lends them to one client after another at `address` ("host:port"). Returns only if that fails: kBackendUnavailable.
// `threads`: of the CPU.
[[nodiscard]] Status serve_rpc(const std::string& module, const std::string& address, const std::vector<Device>& lent,
                               int32_t threads);

}  // namespace lh
