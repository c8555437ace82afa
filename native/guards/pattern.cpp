#include "guards/pattern.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace lh {
namespace {

constexpr int kMaxDepth = 90;          // of groups: reading recurses for each
constexpr int kMaxCount = 2000;        // of repetitions, the limit of llama.cpp's grammars
constexpr size_t kMaxText = 64 << 10;  // bytes

const CharRanges kDigits = {{'0', '9'}};
const CharRanges kWords = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
const CharRanges kSpaces = {{'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
                            {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
const CharRanges kLineEnds = {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

Pattern one(CharRanges characters) { return {Pattern::Kind::kCharacter, std::move(characters)}; }
Pattern choice_of(std::vector<Pattern> parts) { return {Pattern::Kind::kChoice, {}, std::move(parts)}; }

bool may_be_empty(const Pattern& pattern) {
  switch (pattern.kind) {
    case Pattern::Kind::kCharacter: return false;
    case Pattern::Kind::kSequence: return std::ranges::all_of(pattern.parts, may_be_empty);
    case Pattern::Kind::kChoice: return std::ranges::any_of(pattern.parts, may_be_empty);
    case Pattern::Kind::kRepeat: break;
  }
  return pattern.least == 0 || may_be_empty(pattern.parts.front());
}

// A pattern that is never empty and, repeated any number of times, matches the same as `pattern` repeated: a grammar
// cannot repeat without limit what may be empty.
Pattern never_empty(Pattern pattern) {
  if (!may_be_empty(pattern)) return pattern;
  if (pattern.kind == Pattern::Kind::kRepeat) {
    Pattern part = std::move(pattern.parts.front());
    return never_empty(std::move(part));
  }
  std::vector<Pattern> parts;
  for (Pattern& part : pattern.parts) {
    Pattern rest = never_empty(std::move(part));
    if (rest.kind != Pattern::Kind::kChoice || !rest.parts.empty()) parts.push_back(std::move(rest));
  }
  return choice_of(std::move(parts));
}

// (X+)+ matches the same as X+, which has one way to match each text.
Pattern without_inner_plus(Pattern pattern) {
  Pattern* inner = &pattern;
  while (inner->kind != Pattern::Kind::kRepeat && inner->parts.size() == 1) inner = &inner->parts.front();
  const bool plus = inner->kind == Pattern::Kind::kRepeat && inner->least == 1 && inner->most == Pattern::kNoEnd;
  if (!plus) return pattern;
  Pattern part = std::move(inner->parts.front());
  return without_inner_plus(std::move(part));
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(utf32_of(text)) {}

  ReadPattern read() {
    Pattern whole = choice(0);
    if (!fault_ && !done()) fail(PatternUse::kInvalid);  // an unmatched closing parenthesis
    if (fault_) return {*fault_};
    if (beyond_ || !begins_ || !ends_) return {PatternUse::kIgnored};
    return {PatternUse::kKept, std::move(whole)};
  }

 private:
  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  [[nodiscard]] bool at(char32_t c) const { return !done() && text_[at_] == c; }
  [[nodiscard]] char32_t ahead(size_t by) const { return at_ + by < text_.size() ? text_[at_ + by] : 0; }
  bool take(char32_t c) { return at(c) && ++at_ != 0; }
  char32_t next() {
    if (done()) fail(PatternUse::kInvalid);
    return done() ? 0 : text_[at_++];
  }
  void fail(PatternUse use) {
    if (!fault_) fault_ = use;
    at_ = text_.size();
  }
  // A construct that grammars lack: the rest is read only to find out whether it is a valid regular expression.
  void go_beyond() { beyond_ = true; }

  Pattern choice(int depth) {
    std::vector<Pattern> parts;
    bool more = true;
    while (more) {
      parts.push_back(depth == 0 ? anchored() : sequence(depth));
      more = take('|');
    }
    return parts.size() == 1 ? std::move(parts.front()) : choice_of(std::move(parts));
  }

  // Each alternative may have anchors; the first `^` and the last `$` make the whole pattern anchored.
  Pattern anchored() {
    const bool begins = take('^');
    if (!begins_) begins_ = begins;
    ends_ = false;
    Pattern result = sequence(0);
    while (take('$')) {
      ends_ = done() || at('|');
      if (ends_) break;
      go_beyond();
      result = sequence(0);
    }
    return result;
  }

  Pattern sequence(int depth) {
    Pattern result;
    while (!done() && !at('|') && !at(')') && !(depth == 0 && at('$'))) {
      Pattern part = atom(depth);
      result.parts.push_back(counted(std::move(part)));
    }
    return result;
  }

  Pattern atom(int depth) {
    const char32_t c = next();
    switch (c) {
      case '(': return group(depth + 1);
      case '[': return one(bracketed());
      case '.': return one(inverted(kLineEnds));
      case '\\': return escape();
      case '*':
      case '+':
      case '?': fail(PatternUse::kInvalid); break;
      case '^':
      case '$':
      case '{':
      case '}':
      case ']': go_beyond(); break;
      default: return one({{c, c}});
    }
    return {};
  }

  Pattern group(int depth) {
    if (depth > kMaxDepth) {
      fail(PatternUse::kIgnored);
      return {};
    }
    if (take('?') && !take(':')) {
      const bool named = take('<') && !at('=') && !at('!');
      if (!named) go_beyond();  // a lookaround, or a change of flags
      while (named && !done() && !take('>')) ++at_;
    }
    Pattern inner = choice(depth);
    if (!take(')')) fail(PatternUse::kInvalid);
    return inner;
  }

  Pattern escape() {
    if (const CharRanges* known = take_set()) return one(*known);
    for (const char32_t c : U"bBkpP") {
      if (c != 0 && at(c)) go_beyond();
    }
    const char32_t c = escaped();
    return one({{c, c}});
  }

  // \d and similar escapes; null: something else follows the backslash.
  const CharRanges* take_set() {
    static const CharRanges kNoDigits = inverted(kDigits);
    static const CharRanges kNoWords = inverted(kWords);
    static const CharRanges kNoSpaces = inverted(kSpaces);
    if (take('d')) return &kDigits;
    if (take('D')) return &kNoDigits;
    if (take('w')) return &kWords;
    if (take('W')) return &kNoWords;
    if (take('s')) return &kSpaces;
    if (take('S')) return &kNoSpaces;
    return nullptr;
  }

  // The character after a backslash.
  char32_t escaped() {
    const char32_t c = next();
    switch (c) {
      case 't': return '\t';
      case 'n': return '\n';
      case 'v': return '\v';
      case 'f': return '\f';
      case 'r': return '\r';
      case 'x': return hex(2);
      case 'u': return unicode();
      case 'c':
        if (!is_letter(ahead(0))) go_beyond();
        return next() & 31U;
      case '0':
        if (is_digit(ahead(0))) go_beyond();
        return 0;
      default: break;
    }
    if (is_digit(c) || is_letter(c)) go_beyond();
    return c;
  }

  char32_t unicode() {
    if (take('{')) {
      char32_t code = 0;
      do {
        code = code << 4 | hex(1);
        if (code > kLastChar) fail(PatternUse::kInvalid);
      } while (!fault_ && !at('}'));
      take('}');
      return code;
    }
    const char32_t code = hex(4);
    const bool pair = code >= 0xD800 && code < 0xDC00 && ahead(0) == '\\' && ahead(1) == 'u' && ahead(2) != '{';
    if (!pair) return code;
    at_ += 2;
    const char32_t low = hex(4);
    if (low < 0xDC00 || low > 0xDFFF) go_beyond();
    return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }

  char32_t hex(int digits) {
    char32_t code = 0;
    for (int i = 0; i < digits; ++i) {
      const char32_t c = next();
      const char32_t lower = c | 0x20U;
      const bool letter = lower >= 'a' && lower <= 'f';
      if (!is_digit(c) && !letter) go_beyond();
      code = code << 4 | (letter ? lower - 'a' + 10 : c & 0xFU);
    }
    return code;
  }

  CharRanges bracketed() {
    const bool none_of = take('^');
    CharRanges ranges;
    while (!fault_ && !take(']')) {
      const CharRanges from = member();
      const bool range = from.size() == 1 && from[0].first == from[0].last && at('-') && ahead(1) != ']';
      if (!range || done()) {
        ranges.insert(ranges.end(), from.begin(), from.end());
        continue;
      }
      ++at_;
      const CharRanges to = member();
      if (fault_) break;
      if (to.size() == 1 && to[0].first == to[0].last) {
        if (to[0].first < from[0].first) fail(PatternUse::kUnbounded);
        ranges.push_back({from[0].first, to[0].first});
      } else {  // a set cannot end a range, so the hyphen is literal
        ranges.insert(ranges.end(), {from[0], {'-', '-'}});
        ranges.insert(ranges.end(), to.begin(), to.end());
      }
    }
    ranges = merged(std::move(ranges));
    return none_of ? inverted(ranges) : ranges;
  }

  CharRanges member() {
    if (!take('\\')) {
      const char32_t c = next();
      return {{c, c}};
    }
    if (const CharRanges* known = take_set()) return *known;
    if (take('b')) return {{'\b', '\b'}};
    const char32_t c = escaped();
    return {{c, c}};
  }

  Pattern counted(Pattern part) {
    int least = 0;
    int most = Pattern::kNoEnd;
    if (take('+')) {
      least = 1;
    } else if (take('?')) {
      most = 1;
    } else if (take('{')) {
      least = number();
      most = !take(',') ? least : at('}') ? Pattern::kNoEnd : number();
      if (!take('}')) go_beyond();
      if (most != Pattern::kNoEnd && most < least) fail(PatternUse::kUnbounded);
    } else if (!take('*')) {
      return part;
    }
    take('?');  // lazy: matches the same texts
    if (most == 0 || fault_) return {};
    const bool endless = most == Pattern::kNoEnd && may_be_empty(part);
    if (endless) part = never_empty(std::move(part));
    if (most == Pattern::kNoEnd) part = without_inner_plus(std::move(part));
    if (part.kind == Pattern::Kind::kChoice && part.parts.empty()) return {};
    std::vector<Pattern> parts;
    parts.push_back(std::move(part));
    return {Pattern::Kind::kRepeat, {}, std::move(parts), endless ? 0 : least, most};
  }

  int number() {
    if (!is_digit(ahead(0))) go_beyond();
    int value = 0;
    while (is_digit(ahead(0))) {
      value = value * 10 + static_cast<int>(next() - '0');
      if (value > kMaxCount) fail(PatternUse::kUnbounded);
    }
    return value;
  }

  std::u32string text_;
  size_t at_ = 0;
  bool begins_ = false;
  bool ends_ = false;
  bool beyond_ = false;
  std::optional<PatternUse> fault_;
};

}  // namespace

std::u32string utf32_of(std::string_view text) {
  std::u32string result;
  for (size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t code = length == 1 ? lead : lead & (0x7FU >> length);
    for (size_t i = 1; i < length && at + i < text.size(); ++i) {
      code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    }
    result.push_back(code);
    at += length;
  }
  return result;
}

ReadPattern read_pattern(std::string_view text) {
  if (text.size() > kMaxText) return {PatternUse::kUnbounded};
  return Reader(text).read();
}

}  // namespace lh
