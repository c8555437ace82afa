#include "guards/gbnf_check.h"

#include <algorithm>
#include <cctype>

namespace lh {
namespace {

// Scans a grammar like llama.cpp's parser, as far as necessary to tell repetitions from text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<GbnfFault> scan() {
    while (at_ < text_.size() && !fault_) {
      const char c = text_[at_];
      if (c == '"' || c == '[') {
        literal(c == '"' ? '"' : ']');
      } else if (c == '#') {
        at_ = std::min(text_.size(), text_.find_first_of("\r\n", at_));
      } else if (c == '{') {
        repetition();
      } else {
        if (c == '(') open();
        if (c == ')') --depth_;
        const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (!space && c != '*' && c != '+' && c != '?') item(1);
        ++at_;
      }
    }
    return std::move(fault_);
  }

 private:
  // A string or a character class; its length in bytes is at least its number of elements.
  void literal(char end) {
    const size_t start = at_++;
    const bool range = end == ']';
    if (range && at_ < text_.size() && text_[at_] == '^') ++at_;
    uint64_t last = kNoCharacter;
    while (at_ < text_.size() && text_[at_] != end && !fault_) {
      const size_t here = at_;
      const bool to =
          range && text_[at_] == '-' && last != kNoCharacter && at_ + 1 < text_.size() && text_[at_ + 1] != end;
      if (to) ++at_;
      const uint64_t next = character();
      if (to && next < last) fail_at(here, "has a range of characters whose end comes before its beginning");
      if (next > kLastCharacter) fail_at(here, "has a character beyond Unicode");
      last = to ? kNoCharacter : next;
    }
    at_ = std::min(text_.size(), at_ + 1);
    if (!fault_) item(at_ - start);
  }

  // The character at at_, as llama.cpp reads it: an escape, or UTF-8 with the length that its first byte states.
  uint64_t character() {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte == '\\') return escaped();
    const int more = byte < 0xc0 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    uint64_t value = more == 0 ? byte : byte & (0x3fU >> more);
    ++at_;
    for (int i = 0; i < more && at_ < text_.size(); ++i) {
      value = (value << 6) | (static_cast<unsigned char>(text_[at_++]) & 0x3fU);
    }
    return value;
  }

  uint64_t escaped() {
    const char kind = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    at_ += 2;
    const int digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    if (digits == 0)
      return kind == 'n' ? '\n' : kind == 'r' ? '\r' : kind == 't' ? '\t' : static_cast<unsigned char>(kind);
    uint64_t value = 0;
    for (int i = 0; i < digits && at_ < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[at_])) != 0;
         ++i) {
      const char c = text_[at_++];
      value = value * 16 + static_cast<uint64_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
  }

  void open() {
    if (++depth_ > kMaxGbnfDepth) fail("nests parentheses more than " + std::to_string(kMaxGbnfDepth) + " deep");
  }

  void repetition() {
    const size_t start = at_++;
    const uint64_t least = number();
    uint64_t most = least;
    if (at_ < text_.size() && text_[at_] == ',') {
      ++at_;
      skip_space();
      const bool bounded = at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
      most = bounded ? number() : std::max<uint64_t>(least, 1);
    }
    if (most < least) {
      at_ = start;
      return fail("repeats at least " + std::to_string(least) + " and at most " + std::to_string(most) + " times");
    }
    // The parser treats more than 2,000 as unlimited.
    const uint64_t written = item_ * std::min<uint64_t>(std::max<uint64_t>(most, 1), kMostWritten);
    const size_t end = at_;
    at_ = start;
    elements_ -= item_;
    item(written);
    if (!fault_) at_ = std::min(text_.size(), end + 1);
  }

  uint64_t number() {
    skip_space();
    uint64_t value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(text_[at_++] - '0'), kMaxGbnfElements);
    }
    skip_space();
    return value;
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  void item(uint64_t elements) {
    item_ = elements;
    elements_ += elements;
    if (elements_ > kMaxGbnfElements) fail("is too large with its repetitions written out");
  }

  void fail(std::string what) { fail_at(at_, std::move(what)); }

  void fail_at(size_t at, std::string what) {
    if (!fault_) fault_ = GbnfFault{at, std::move(what)};
  }

  static constexpr uint64_t kLastCharacter = 0x10ffff;
  static constexpr uint64_t kNoCharacter = UINT64_MAX;
  static constexpr uint64_t kMostWritten = 2000;

  const std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  uint64_t item_ = 0;  // elements of the item that a repetition would repeat
  uint64_t elements_ = 0;
  std::optional<GbnfFault> fault_;
};

}  // namespace

std::optional<GbnfFault> check_gbnf(std::string_view grammar) { return Scanner(grammar).scan(); }

std::string line_and_column(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(offset - start + 1);
}

}  // namespace lh
