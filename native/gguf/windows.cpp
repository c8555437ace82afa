#include "gguf/windows.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace lh {
namespace {

// Embedders have a mask for layers with a window and one for layers without, and llama.cpp fills both: each needs a
// layer that uses it. `period`: used if the file has no pattern. `always`: also with a window of 0.
struct MaskedEmbedder {
  std::string_view architecture;
  uint32_t period;
  bool full_first;  // of each period the first layer has no window, else the last
  bool always;
};
constexpr MaskedEmbedder kMaskedEmbedders[] = {{"gemma-embedding", 6, false, true}, {"modern-bert", 3, true, false}};

// Its graph uses the cache of layers with a window, which does not exist without a window.
constexpr std::string_view kNeedsWindow = "afmoe";

// True for each layer that has a window, as the array says; none if llama.cpp does not read such an array.
std::optional<std::vector<bool>> layers_of(const GgufFile& file, const GgufValue& pattern, uint64_t layers) {
  if (pattern.type != GgufType::kBool && pattern.type != GgufType::kUint32 && pattern.type != GgufType::kInt32) {
    return std::nullopt;
  }
  std::vector<bool> windows;
  for (uint64_t i = 0; i < std::min(pattern.count, layers); ++i) {
    windows.push_back(pattern.type == GgufType::kBool ? file.element<uint8_t>(pattern, i) != 0
                                                      : file.element<uint32_t>(pattern, i) != 0);
  }
  return windows;
}

std::vector<bool> layers_of_period(uint32_t period, bool full_first, uint64_t layers) {
  std::vector<bool> windows;
  for (uint64_t i = 0; i < layers; ++i) {
    windows.push_back(period == 0 || (full_first ? i % period != 0 : i % period < period - 1));
  }
  return windows;
}

bool has(const std::vector<bool>& windows, bool window) {
  return std::find(windows.begin(), windows.end(), window) != windows.end();
}

}  // namespace

Status check_windows(const GgufFile& file, std::string_view architecture, uint64_t layers, int64_t window) {
  const auto* const masked = std::find_if(std::begin(kMaskedEmbedders), std::end(kMaskedEmbedders),
                                          [&](const auto& one) { return one.architecture == architecture; });
  const bool is_masked = masked != std::end(kMaskedEmbedders);
  if (window <= 0 && (architecture == kNeedsWindow || (is_masked && masked->always))) {
    return file.invalid("key '" + std::string(architecture) + ".attention.sliding_window' is 0 or missing");
  }
  if (window <= 0) return {};
  const std::string key = std::string(architecture) + ".attention.sliding_window_pattern";
  const GgufValue* const pattern = file.find(key);
  std::optional<uint32_t> period;
  std::optional<std::vector<bool>> windows;
  if (pattern != nullptr && pattern->is_array) {
    windows = layers_of(file, *pattern, layers);
  } else if (pattern != nullptr && pattern->type == GgufType::kUint32) {
    period = file.element<uint32_t>(*pattern);
  }
  if (is_masked && !windows) {
    windows = layers_of_period(period.value_or(masked->period), masked->full_first, layers);
  }
  const std::string what = "key '" + key + "' gives ";
  if (period == 1 || (windows && !has(*windows, true))) {
    return file.invalid(what + "no layer a sliding window, and there is one of " + std::to_string(window));
  }
  if (is_masked && !has(*windows, false)) {
    return file.invalid(what + "all " + std::to_string(layers) +
                        " layers a sliding window, and this architecture needs a layer without");
  }
  return {};
}

}  // namespace lh
