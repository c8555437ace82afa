#include "base/json/mended_json.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace lh {
namespace {

constexpr const char* kLargest = "1.7976931348623157e308";

// The code unit of an escape such as \\ud83d at `at`; -1: there is none.
int code_unit(std::string_view text, size_t at) {
  if (text.substr(at, 2) != "\\u" || at + 6 > text.size()) return -1;
  int unit = 0;
  for (size_t i = at + 2; i < at + 6; ++i) {
    const auto digit = static_cast<unsigned char>(text[i]);
    if (std::isxdigit(digit) == 0) return -1;
    unit = unit * 16 + (std::isdigit(digit) != 0 ? digit - '0' : std::tolower(digit) - 'a' + 10);
  }
  return unit;
}

bool is_high(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Copies the string that begins at `at`, up to its closing quote.
size_t copy_string(const std::string& text, size_t at, std::string& to) {
  to += text[at++];
  while (at < text.size() && text[at] != '"') {
    const int unit = code_unit(text, at);
    size_t length = unit >= 0 ? 6 : text[at] == '\\' ? 2 : 1;
    const bool pair = is_high(unit) && is_low(code_unit(text, at + 6));
    if (pair) length = 12;
    if (!pair && (is_high(unit) || is_low(unit))) {
      to += "\\ufffd";
    } else {
      to.append(text, at, length);
    }
    at += length;
  }
  if (at < text.size()) to += text[at++];
  return at;
}

size_t copy_number(const std::string& text, size_t at, std::string& to) {
  const size_t end = std::min(text.find_first_not_of("+-.0123456789eE", at), text.size());
  const std::string number = text.substr(at, end - at);
  const bool too_large = std::isinf(std::strtod(number.c_str(), nullptr));
  if (too_large && number.front() == '-') to += '-';
  to += too_large ? kLargest : number;
  return end;
}

std::string mended(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = copy_string(text, at, out);
    } else if (c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0) {
      at = copy_number(text, at, out);
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace

Result<Json> parse_mended_json(const std::string& text, std::string_view what) {
  auto parsed = parse_json(text, what);
  if (parsed.ok()) return parsed;
  auto again = parse_json(mended(text), what);
  return again.ok() ? std::move(again) : std::move(parsed);
}

}  // namespace lh
