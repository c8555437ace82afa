#include "gguf/rope_sections.h"

#include <algorithm>
#include <array>
#include <string>

#include "gguf/one_of.h"

namespace lh {
namespace {

constexpr std::string_view kHaveSections[] = {"paddleocr", "qwen2vl", "qwen35",     "qwen35moe",
                                              "qwen3tts",  "qwen3vl", "qwen3vlmoe", "qwen4exp"};
constexpr std::string_view kMayHaveSections[] = {"dflash", "glm4", "glm4moe", "hunyuan_vl"};
constexpr uint64_t kSections = 4;

}  // namespace

Status check_rope_sections(const GgufFile& file, std::string_view architecture, uint64_t head_size) {
  const bool must = is_one_of(kHaveSections, architecture);
  if (!must && !is_one_of(kMayHaveSections, architecture)) return {};
  const std::string key = std::string(architecture) + ".rope.dimension_sections";
  const GgufValue* const value = file.find(key);
  if (value == nullptr) return must ? file.invalid("key '" + key + "' is missing") : Status();
  // llama.cpp refuses other types.
  if (value->type != GgufType::kUint32 && value->type != GgufType::kInt32) return {};
  std::array<int64_t, kSections> sections{};
  for (uint64_t i = 0; i < kSections; ++i) {
    if (value->is_array && i >= value->count) break;
    sections[i] = file.element<int32_t>(*value, value->is_array ? i : 0);
  }
  int64_t sum = 0;
  for (const int64_t section : sections) {
    if (section < 0) return file.invalid("key '" + key + "' has a negative number");
    sum += section;
  }
  if (must && sections[0] == 0 && sections[1] == 0 && sections[2] == 0) {
    return file.invalid("key '" + key + "' has only empty sections");
  }
  if (sum > static_cast<int64_t>(head_size)) {
    return file.invalid("key '" + key + "' has sections of " + std::to_string(sum) + " numbers, and a head has " +
                        std::to_string(head_size));
  }
  return {};
}

}  // namespace lh
