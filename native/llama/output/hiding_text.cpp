#include "llama/output/hiding_text.h"

#include <algorithm>
#include <string_view>

namespace lh {
namespace {

// Control characters that are not white space: texts hardly ever have one. A character that the text has, also as an
// escape of JSON, is not used.
constexpr std::string_view kStandIns = "\x1a\x1b\x1c\x1d\x1e\x1f\x01\x02\x03\x04\x05\x06\x0e\x0f\x10\x11\x12\x13\x14";

std::string escaped(char c, std::string_view digits) {
  const auto byte = static_cast<unsigned char>(c);
  return std::string("\\u00") + digits[byte >> 4] + digits[byte & 0xf];
}

}  // namespace

bool HidingText::hide(size_t at) {
  const char hidden = shown_[at];
  if (hidden == '"' || hidden == '\\' || static_cast<unsigned char>(hidden) >= 0x80) return false;
  const bool is_stand_in = std::ranges::any_of(stand_ins_, [hidden](const auto& one) { return one.second == hidden; });
  if (is_stand_in) return false;
  auto found = stand_ins_.find(hidden);
  if (found == stand_ins_.end()) {
    const auto unused = std::ranges::find_if(kStandIns, [this](char c) {
      return shown_.find(c) == shown_.npos && shown_.find(escaped(c, "0123456789abcdef")) == shown_.npos &&
             shown_.find(escaped(c, "0123456789ABCDEF")) == shown_.npos;
    });
    if (unused == kStandIns.end()) return false;
    found = stand_ins_.emplace(hidden, *unused).first;
  }
  shown_[at] = found->second;
  return true;
}

void HidingText::reveal(std::string& text) const {
  for (const auto& [hidden, stand_in] : stand_ins_) std::ranges::replace(text, stand_in, hidden);
}

void HidingText::reveal_in_json(std::string& json) const {
  reveal(json);
  for (const auto& [hidden, stand_in] : stand_ins_) {
    const std::string written = escaped(stand_in, "0123456789abcdef");
    for (size_t found = json.find(written); found != json.npos; found = json.find(written, found + 1)) {
      json.replace(found, written.size(), 1, hidden);
    }
  }
}

}  // namespace lh
