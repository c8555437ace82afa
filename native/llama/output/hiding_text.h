// A text in which marks can be hidden from a parser: it then reads them as plain text. Positions stay.
#pragma once

#include <map>
#include <string>
#include <utility>

namespace lh {

class HidingText {
 public:
  explicit HidingText(std::string text) : shown_(std::move(text)) {}

  // Hides the mark that begins at `at`. False: it is hidden already, or its first byte has no stand-in.
  [[nodiscard]] bool hide(size_t at);
  [[nodiscard]] const std::string& shown() const { return shown_; }
  [[nodiscard]] bool hides() const { return !stand_ins_.empty(); }
  // Puts the marks back into a text that a parser has returned.
  void reveal(std::string& text) const;
  void reveal_in_json(std::string& json) const;

 private:
  std::string shown_;
  std::map<char, char> stand_ins_;  // by the byte that they replace
};

}  // namespace lh
