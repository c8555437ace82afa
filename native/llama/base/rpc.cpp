#include "llama/base/rpc.h"

#include <algorithm>

#include "ggml-rpc.h"
#include "llama/base/runtime.h"

namespace lh {
namespace {

// The module has no symbols that a program links with: its functions are asked for by name.
template <typename Function>
Result<Function*> function_of(const std::string& module, const char* name) {
  const LogCapture capture;
  ggml_backend_reg_t backend = ggml_backend_load(module.c_str());
  if (backend == nullptr) {
    return Status(Code::kBackendUnavailable, "the RPC module " + module + " cannot be used: " + capture.text());
  }
  auto* const found = reinterpret_cast<Function*>(ggml_backend_reg_get_proc_address(backend, name));
  if (found != nullptr) return found;
  return Status(Code::kBackendUnavailable, "the RPC module " + module + " has no function " + name);
}

}  // namespace

Status add_rpc_server(const std::string& module, const std::string& server) {
  const auto add = function_of<decltype(ggml_backend_rpc_add_server)>(module, "ggml_backend_rpc_add_server");
  if (!add.ok()) return add.status();
  ggml_backend_reg_t devices = (*add)(server.c_str());  // ends the process if the server cannot be reached
  if (devices == nullptr) return {Code::kBackendUnavailable, "it has no devices"};
  ggml_backend_register(devices);
  // The backend keeps a connection only while something uses it, and a server then serves the next client. This use is
  // never given up, so that another engine finds the server taken at its creation, not in the middle of its work.
  ggml_backend_dev_t first = ggml_backend_reg_dev_get(devices, 0);
  if (ggml_backend_dev_init(first, nullptr) == nullptr) return {Code::kBackendUnavailable, "it cannot be used"};
  return {};
}

std::vector<Device> lent_devices() {
  std::vector<Device> all = devices();
  const bool has_gpu = std::ranges::any_of(all, &Device::is_gpu);
  std::erase_if(all, [has_gpu](const Device& one) { return has_gpu ? !one.is_gpu() : one.type != DeviceType::kCpu; });
  return all;
}

Status serve_rpc(const std::string& module, const std::string& address, const std::vector<Device>& lent,
                 int32_t threads) {
  const auto serve = function_of<decltype(ggml_backend_rpc_start_server)>(module, "ggml_backend_rpc_start_server");
  if (!serve.ok()) return serve.status();
  std::vector<ggml_backend_dev_t> handles;
  for (const Device& one : lent) handles.push_back(ggml_backend_dev_by_name(one.name.c_str()));
  (*serve)(address.c_str(), nullptr, static_cast<size_t>(threads), handles.size(), handles.data());
  return {Code::kBackendUnavailable, "the RPC server cannot listen at " + address};
}

}  // namespace lh
