#include "llama/output/format_marks.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "base/text/white_space.h"
#include "chat-peg-parser.h"

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

// The literals that a parser reads. Tagged texts are parts of the answer or of a call, so only the literals outside of
// tags lie between these parts.
class Literals {
 public:
  explicit Literals(const common_peg_arena& parser) : parser_(parser) {
    if (!parser.empty()) visit(parser.root(), false);
  }

  std::vector<std::string> all;  // without those of arguments in JSON
  std::vector<std::string> between;
  std::vector<std::string> ends;  // of texts
  std::vector<std::string> thought_ends;
  std::vector<std::string> openers;  // of calls
  bool words = false;                // there may be words between the parts

 private:
  using Ids = std::vector<common_peg_parser_id>;

  void visit(common_peg_parser_id id, bool within) {
    if (!seen_[within ? 1 : 0].insert(id).second) return;
    const common_peg_parser_variant& one = parser_.get(id);
    add_ends_of(one, ends);
    if (const auto* literal = std::get_if<common_peg_literal_parser>(&one)) {
      all.push_back(literal->literal);
      if (!within) between.push_back(literal->literal);
    } else if (const auto* rule = std::get_if<common_peg_rule_parser>(&one); rule != nullptr && rule->trigger) {
      add_first(rule->child);
    } else if (const auto* tag = std::get_if<common_peg_tag_parser>(&one)) {
      if (tag->tag == common_chat_peg_builder::TOOL_ARG_VALUE) return;
      within = within || tag->tag != common_chat_peg_builder::REASONING_BLOCK;
      if (tag->tag == common_chat_peg_builder::REASONING) add_thought_ends(tag->child);
    }
    if (const auto* sequence = std::get_if<common_peg_sequence_parser>(&one)) add_before_calls(sequence->children);
    words = words || (!within && std::holds_alternative<common_peg_chars_parser>(one));
    for (const common_peg_parser_id child : children(one)) visit(child, within);
  }

  static void add_ends_of(const common_peg_parser_variant& one, std::vector<std::string>& to) {
    const auto* until = std::get_if<common_peg_until_parser>(&one);
    if (until != nullptr) to.insert(to.end(), until->delimiters.begin(), until->delimiters.end());
  }

  // Adds the ends of the texts in what a parser of reasoning reads.
  void add_thought_ends(common_peg_parser_id id) {
    if (!thoughts_.insert(id).second) return;
    const common_peg_parser_variant& one = parser_.get(id);
    add_ends_of(one, thought_ends);
    for (const common_peg_parser_id child : children(one)) add_thought_ends(child);
  }

  // Adds the literals with which what the parser reads may begin.
  void add_first(common_peg_parser_id id) {
    const common_peg_parser_variant& one = parser_.get(id);
    if (const auto* literal = std::get_if<common_peg_literal_parser>(&one)) openers.push_back(literal->literal);
    const bool is_sequence = std::holds_alternative<common_peg_sequence_parser>(one);
    for (const common_peg_parser_id child : children(one)) {
      add_first(child);
      if (is_sequence && !may_be_empty(child)) return;
    }
  }

  // Adds the literals right before calls.
  void add_before_calls(const Ids& sequence) {
    const auto calls = std::ranges::find_if(sequence, [this](common_peg_parser_id id) { return is_calls(id); });
    for (auto before = std::make_reverse_iterator(calls); calls != sequence.end() && before != sequence.rend();
         ++before) {
      if (std::holds_alternative<common_peg_literal_parser>(parser_.get(*before))) add_first(*before);
      if (!may_be_empty(*before)) return;
      add_first(*before);
    }
  }

  bool is_calls(common_peg_parser_id id) const {
    const common_peg_parser_variant& one = parser_.get(id);
    if (const auto* ref = std::get_if<common_peg_ref_parser>(&one)) return is_calls(parser_.get_rule(ref->name));
    const auto* rule = std::get_if<common_peg_rule_parser>(&one);
    return rule != nullptr && rule->trigger;
  }

  bool may_be_empty(common_peg_parser_id id) const {
    const common_peg_parser_variant& one = parser_.get(id);
    const auto* repetition = std::get_if<common_peg_repetition_parser>(&one);
    return std::holds_alternative<common_peg_space_parser>(one) ||
           std::holds_alternative<common_peg_epsilon_parser>(one) ||
           (repetition != nullptr && repetition->min_count == 0);
  }

  // The parsers that read what `one` reads, or parts of it.
  Ids children(const common_peg_parser_variant& one) const {
    if (const auto* all_of = std::get_if<common_peg_sequence_parser>(&one)) return all_of->children;
    if (const auto* one_of = std::get_if<common_peg_choice_parser>(&one)) return one_of->children;
    if (const auto* repetition = std::get_if<common_peg_repetition_parser>(&one)) return {repetition->child};
    if (const auto* rule = std::get_if<common_peg_rule_parser>(&one)) return {rule->child};
    if (const auto* ref = std::get_if<common_peg_ref_parser>(&one)) return {parser_.get_rule(ref->name)};
    if (const auto* atomic = std::get_if<common_peg_atomic_parser>(&one)) return {atomic->child};
    if (const auto* tag = std::get_if<common_peg_tag_parser>(&one)) return {tag->child};
    if (const auto* gbnf = std::get_if<common_peg_gbnf_parser>(&one)) return {gbnf->child};
    if (const auto* until = std::get_if<common_peg_ac_parser>(&one)) return {until->child};
    return {};  // a schema's parser reads JSON
  }

  const common_peg_arena& parser_;
  std::set<common_peg_parser_id> seen_[2];
  std::set<common_peg_parser_id> thoughts_;
};

}  // namespace

std::vector<std::string> ends_of_reasoning(const common_peg_arena& parser) { return Literals(parser).thought_ends; }

FormatMarks::FormatMarks(const common_peg_arena& parser) {
  Literals found(parser);
  literals_ = std::move(found.between);
  words_ = found.words;
  marks_ = std::move(found.ends);
  for (const std::string& literal : found.all) {
    if (!is_more_than_words(literal)) continue;
    marks_.push_back(literal);
    marks_.emplace_back(without_space_before(without_space_behind(literal)));
  }
  openers_ = std::move(found.openers);
  for (std::vector<std::string>* texts : {&literals_, &marks_, &openers_}) {
    std::erase(*texts, "");
    make_unique(*texts);
  }
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
  return std::ranges::any_of(marks_, [text](const std::string& mark) { return text.starts_with(mark); });
}

bool FormatMarks::begun_by(std::string_view text) const {
  if (text.empty()) return false;
  return std::ranges::any_of(marks_, [text](const std::string& mark) { return mark.starts_with(text); });
}

bool FormatMarks::only_begun_by(std::string_view text) const {
  return begun_by(text) && std::ranges::find(marks_, text) == marks_.end();
}

size_t FormatMarks::first_opener(std::string_view text) const {
  size_t first = text.npos;
  for (const std::string& opener : openers_) first = std::min(first, text.find(opener));
  return first;
}

}  // namespace lh
