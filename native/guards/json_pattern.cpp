#include "guards/json_pattern.h"

#include <array>
#include <cstdio>
#include <utility>
#include <vector>

namespace lh {
namespace {

// Characters as JSON text contains them in UTF-8, so without surrogates.
const CharRanges kBare = {{' ', '!'}, {'#', '['}, {']', 0xD7FF}, {0xE000, kLastChar}};
const CharRanges kEscaped = {{0, 0x1F}, {'"', '"'}, {'\\', '\\'}};

constexpr std::array<std::pair<char32_t, char>, 7> kShort = {
    {{'"', '"'}, {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}}};

// The converter reads these as GBNF does, inside and outside of classes.
std::string spelled(char32_t c) {
  const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  if (plain) return {static_cast<char>(c)};
  std::array<char, 12> text{};
  const char* const form = c <= 0xFF ? "\\x%02X" : c <= 0xFFFF ? "\\u%04X" : "\\U%08X";
  std::snprintf(text.data(), text.size(), form, static_cast<unsigned>(c));
  return text.data();
}

std::string class_of(const CharRanges& ranges) {
  std::string text = "[";
  for (const auto& [first, last] : ranges) {
    text += spelled(first);
    if (last > first) text += "-" + spelled(last);
  }
  return text + "]";
}

std::string any_of(const std::vector<std::string>& parts) {
  if (parts.size() == 1) return parts.front();
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "(" : "|") + part;
  return text + ")";
}

std::string escapes_of(const CharRanges& ranges) {
  CharRanges rest = ranges;
  CharRanges letters;
  for (const auto& [character, letter] : kShort) {
    if (!contains(ranges, character)) continue;
    letters.push_back({static_cast<char32_t>(letter), static_cast<char32_t>(letter)});
    rest = common(rest, inverted({{character, character}}));
  }
  std::vector<std::string> parts;
  if (!letters.empty()) parts.push_back(class_of(letters));
  for (const char32_t high : {0x00, 0x10}) {
    CharRanges digits;
    for (char32_t low = 0; low < 16; ++low) {
      const char32_t digit = low < 10 ? '0' + low : 'a' + low - 10;
      if (contains(rest, high + low)) digits.push_back({digit, digit});
    }
    if (!digits.empty()) parts.push_back((high == 0 ? "u000" : "u001") + class_of(merged(digits)));
  }
  return spelled('\\') + any_of(parts);
}

class Writer {
 public:
  bool write(const Pattern& pattern) {
    text_ += "^";
    put(pattern);
    text_ += "$";
    return fits_something_;
  }

  std::string take() { return std::move(text_); }

 private:
  void put(const Pattern& pattern) {
    switch (pattern.kind) {
      case Pattern::Kind::kCharacter: return put_character(pattern.characters);
      case Pattern::Kind::kSequence:
        for (const Pattern& part : pattern.parts) part.kind == Pattern::Kind::kChoice ? put_group(part) : put(part);
        return;
      case Pattern::Kind::kChoice:
        for (size_t i = 0; i < pattern.parts.size(); ++i) {
          if (i > 0) text_ += "|";
          put(pattern.parts[i]);
        }
        return;
      case Pattern::Kind::kRepeat: return put_repeat(pattern);
    }
  }

  void put_group(const Pattern& pattern) {
    text_ += "(";
    put(pattern);
    text_ += ")";
  }

  void put_character(const CharRanges& characters) {
    const CharRanges bare = common(characters, kBare);
    const CharRanges escaped = common(characters, kEscaped);
    std::vector<std::string> parts;
    if (!bare.empty()) parts.push_back(class_of(bare));
    if (!escaped.empty()) parts.push_back(escapes_of(escaped));
    if (parts.empty()) {
      fits_something_ = false;
    } else if (escaped.empty() && bare.size() == 1 && bare[0].first == bare[0].last) {
      text_ += spelled(bare[0].first);
    } else {
      text_ += any_of(parts);
    }
  }

  // The converter repeats the whole literal before a repetition, so the repeated part gets parentheses.
  void put_repeat(const Pattern& pattern) {
    put_group(pattern.parts.front());
    text_ += "{" + std::to_string(pattern.least) + ",";
    text_ += (pattern.most == Pattern::kNoEnd ? "" : std::to_string(pattern.most)) + "}";
  }

  std::string text_;
  bool fits_something_ = true;
};

}  // namespace

JsonPattern json_pattern(std::string_view pattern) {
  const ReadPattern read = read_pattern(pattern);
  if (read.use != PatternUse::kKept) return {read.use};
  Writer writer;
  if (!writer.write(read.pattern)) return {PatternUse::kIgnored};
  return {PatternUse::kKept, writer.take()};
}

}  // namespace lh
