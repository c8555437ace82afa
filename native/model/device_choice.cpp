#include "model/device_choice.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/text/names.h"

namespace lh {
namespace {

// llama.cpp's default choice: integrated GPUs only without any others.
std::vector<Device> all_gpus(std::vector<Device> gpus) {
  std::erase_if(gpus, [](const Device& one) { return !one.is_gpu(); });
  const bool has_own = std::ranges::find(gpus, DeviceType::kGpu, &Device::type) != gpus.end();
  if (has_own) std::erase_if(gpus, [](const Device& one) { return one.type != DeviceType::kGpu; });
  return gpus;
}

// The GPUs that a caller may name.
std::vector<Device> named_gpus(const std::vector<std::string>& names, const std::vector<Device>& known) {
  std::vector<Device> gpus;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(known, name, &Device::name);
    if (found != known.end() && found->is_gpu()) gpus.push_back(*found);
  }
  return gpus;
}

std::string quoted(const std::vector<Device>& gpus) {
  std::string list;
  for (const Device& one : gpus) list += (list.empty() ? "\"" : ", \"") + one.name + "\"";
  return list.empty() ? "there is none" : "there is " + list;
}

Status check_names(const std::vector<std::string>& names, const std::vector<Device>& known) {
  std::vector<std::string> seen;
  for (const std::string& name : names) {
    if (std::ranges::find(seen, name) != seen.end()) {
      return {Code::kInvalidArgument, "devices names \"" + name + "\" twice"};
    }
    seen.push_back(name);
    if (!named_gpus({name}, known).empty()) continue;
    std::vector<Device> gpus = known;
    std::erase_if(gpus, [](const Device& one) { return !one.is_gpu(); });
    return {Code::kInvalidArgument,
            "devices names \"" + name + "\", which is no GPU that this process has: " + quoted(gpus)};
  }
  return {};
}

}  // namespace

std::vector<Device> gpus_of(const LoadParams& params, const std::vector<Device>& devices) {
  if (params.gpu_layers == 0) return {};
  std::vector<Device> gpus = params.devices ? named_gpus(*params.devices, devices) : all_gpus(devices);
  if (params.split_mode != SplitMode::kNone || gpus.empty()) return gpus;
  const auto main = std::ranges::find(gpus, params.main_device, &Device::name);
  return {main != gpus.end() ? *main : gpus.front()};
}

Status check_placement(const LoadParams& params, const std::vector<Device>& devices) {
  if (params.devices) {
    if (Status status = check_names(*params.devices, devices); !status.ok()) return status;
  }
  if (!params.main_device.empty() && params.split_mode != SplitMode::kNone) {
    return {Code::kInvalidArgument, shown_field("main_device") + " is for " + shown_field("split_mode") +
                                        " \"none\": otherwise several devices share the model"};
  }
  const std::vector<Device> used = gpus_of(params, devices);
  if (used.empty()) return {};  // the other parameters say how GPUs share a model
  if (!params.main_device.empty() && used.front().name != params.main_device) {
    return {Code::kInvalidArgument,
            shown_field("main_device") + " \"" + params.main_device + "\" is none of the devices of the model: " +
                quoted(params.devices ? named_gpus(*params.devices, devices) : all_gpus(devices))};
  }
  if (!params.tensor_split) return {};
  const std::vector<double>& parts = *params.tensor_split;
  if (parts.size() != used.size() || std::accumulate(parts.begin(), parts.end(), 0.0) <= 0) {
    return {Code::kInvalidArgument, shown_field("tensor_split") + " needs a number for each of the " +
                                        std::to_string(used.size()) + " devices of the model, not all of them 0, got " +
                                        std::to_string(parts.size()) + (parts.size() == 1 ? " number" : " numbers")};
  }
  return {};
}

}  // namespace lh
