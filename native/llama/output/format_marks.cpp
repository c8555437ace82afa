#include "llama/output/format_marks.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <variant>

#include "base/text/white_space.h"

namespace lh {
namespace {

bool is_word_byte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

// Words and punctuation alone are not a mark, because prose has them, too.
bool is_more_than_words(std::string_view mark) {
  constexpr std::string_view kProse = " .,;:!?'\"()-_\n";
  return std::ranges::any_of(mark, [kProse](char c) { return !is_word_byte(c) && kProse.find(c) == kProse.npos; });
}

void make_unique(std::vector<std::string>& texts) {
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

bool begins_with_one_of(const std::vector<std::string>& marks, std::string_view text) {
  return std::ranges::any_of(marks, [text](const std::string& mark) { return text.starts_with(mark); });
}

}  // namespace

FormatMarks::FormatMarks(const common_peg_arena& parser) {
  for (size_t id = 0; id < parser.size(); ++id) {
    const common_peg_parser_variant& one = parser.get(id);
    if (const auto* literal = std::get_if<common_peg_literal_parser>(&one)) literals_.push_back(literal->literal);
    if (const auto* until = std::get_if<common_peg_until_parser>(&one)) {
      ends_.insert(ends_.end(), until->delimiters.begin(), until->delimiters.end());
    }
    words_ = words_ || std::holds_alternative<common_peg_chars_parser>(one);
  }
  for (const std::string& literal : literals_) {
    const std::string_view bare = without_space_before(without_space_behind(literal));
    if (bare != literal && is_more_than_words(bare)) ends_.emplace_back(bare);
  }
  std::erase(literals_, "");
  std::erase(ends_, "");
  make_unique(literals_);
  make_unique(ends_);
}

// The places in the text to which marks and white space alone lead, in order.
std::vector<size_t> FormatMarks::places(std::string_view text) const {
  std::map<size_t, bool> open = {{0, false}};  // with whether a mark ends there, maybe with a space behind it
  std::vector<size_t> found;
  while (!open.empty()) {
    const auto [at, behind_mark] = *open.begin();
    open.erase(open.begin());
    found.push_back(at);
    if (at == text.size()) break;
    if (is_space(text[at])) open[at + 1] |= behind_mark;
    const std::string_view rest = text.substr(at);
    for (const std::string& literal : literals_) {
      if (rest.starts_with(literal)) open[at + literal.size()] = true;
    }
    if (!words_ || !behind_mark) continue;
    const auto end = static_cast<size_t>(std::ranges::find_if_not(rest, is_word_byte) - rest.begin());
    if (end > 0 && begin(rest.substr(end))) open[at + end] |= false;
  }
  return found;
}

bool FormatMarks::may_go_on(std::string_view text, std::string_view other) const {
  return std::ranges::any_of(places(text), [&](size_t at) {
    const std::string_view rest = text.substr(at);
    return begun_by(rest) || (!rest.empty() && other.starts_with(rest));
  });
}

bool FormatMarks::begin(std::string_view text) const {
  const auto is_at = [text](const std::string& mark) { return text.starts_with(mark) && is_more_than_words(mark); };
  return std::ranges::any_of(literals_, is_at) || begins_with_one_of(ends_, text);
}

bool FormatMarks::begun_by(std::string_view text) const {
  if (text.empty()) return false;
  const auto is_begun = [text](const std::string& mark) { return std::string_view(mark).starts_with(text); };
  return std::ranges::any_of(literals_, is_begun) || std::ranges::any_of(ends_, is_begun);
}

}  // namespace lh
