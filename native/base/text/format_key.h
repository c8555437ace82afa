// Text under which values are kept that depend on several texts.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace lh {

// An unambiguous text: each part is preceded by its length.
class FormatKey {
 public:
  FormatKey& add(std::string_view part) {
    text_ += std::to_string(part.size());
    text_ += ':';
    text_ += part;
    return *this;
  }
  FormatKey& add(std::same_as<bool> auto part) { return add(part ? std::string_view("1") : std::string_view("0")); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace lh
