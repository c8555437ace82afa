#include "llama/prompt/mark_finder.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text/white_space.h"

namespace lh {
namespace {

bool is_core(char byte) {
  return std::isalnum(static_cast<unsigned char>(byte)) != 0 || static_cast<unsigned char>(byte) >= 0x80;
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The place behind the character at `at`.
size_t next_character(std::string_view text, size_t at) {
  ++at;
  while (at < text.size() && continues_character(text[at])) ++at;
  return at;
}

}  // namespace

MarkFinder::MarkFinder(const SpecialTokenTable& tokens, const std::vector<std::string>& inspected)
    : inspected_(inspected) {
  std::map<std::string_view, std::vector<int32_t>> by_core;
  for (const SpecialToken& token : tokens.all()) {
    if (!token.control || token.text.empty()) continue;
    const auto place = static_cast<int32_t>(tokens_.size());
    tokens_.push_back(token);
    texts_.add(token.text, place);
    longest_ = std::max(longest_, token.text.size());
    const auto first = std::ranges::find_if(token.text, is_core);
    const auto last = std::find_if(token.text.rbegin(), token.text.rend(), is_core).base();
    Core core;
    if (first != token.text.end()) {
      core = {static_cast<size_t>(first - token.text.begin()), static_cast<size_t>(last - token.text.begin())};
      by_core[token.text.substr(core.begin, core.end - core.begin)].push_back(place);
    }
    cores_.push_back(core);
  }
  for (auto& [core, places] : by_core) {
    core_texts_.add(core, static_cast<int32_t>(same_core_.size()));
    same_core_.push_back(std::move(places));
  }
  for (size_t i = 0; i < inspected_.size(); ++i) {
    inspected_texts_.add(inspected_[i], static_cast<int32_t>(i));
  }
}

TokenMarks MarkFinder::find(std::string_view text) const {
  const std::vector<Span> inspected = find_inspected(text);
  TokenMarks marks;
  find_whole(text, inspected, marks);
  find_at_ends(text, marks);
  find_joined(text, inspected, marks);
  if (marks.size() < 2) return marks;
  std::ranges::sort(
      marks, [](const TokenMark& a, const TokenMark& b) { return a.at != b.at ? a.at < b.at : a.token < b.token; });
  const auto again = std::unique(marks.begin(), marks.end(),
                                 [](const auto& a, const auto& b) { return a.at == b.at && a.token == b.token; });
  marks.erase(again, marks.end());
  return marks;
}

TokenMarks MarkFinder::effective(std::string_view text, const TokenMarks& marks) const {
  std::vector<bool> forbids(marks.size());
  size_t next = 0;  // the first mark after `at`
  for (size_t at = 0;; ++at) {
    while (next < marks.size() && marks[next].at <= at) ++next;
    if (next == marks.size()) break;
    if (marks[next].at > longest_) at = std::max(at, marks[next].at - longest_);
    texts_.walk(text, at, [&](int32_t place, size_t end) {
      for (size_t i = next; i < marks.size() && marks[i].at <= end; ++i) {
        const bool ends_here = marks[i].at == end && tokens_[static_cast<size_t>(place)].id == marks[i].token;
        if (marks[i].at < end || ends_here) forbids[i] = true;
      }
    });
  }
  TokenMarks left;
  for (size_t i = 0; i < marks.size(); ++i) {
    if (forbids[i]) left.push_back(marks[i]);
  }
  return left;
}

std::vector<MarkFinder::Span> MarkFinder::find_inspected(std::string_view text) const {
  std::vector<Span> found;
  if (inspected_.empty()) return found;
  for (size_t at = inspected_texts_.skip(text, 0); at < text.size(); at = inspected_texts_.skip(text, at + 1)) {
    inspected_texts_.walk(text, at, [&](int32_t, size_t end) { found.push_back({at, end}); });
  }
  return found;
}

// The mark goes into the token; behind it, if it has one character or the template looks for it.
void MarkFinder::find_whole(std::string_view text, const std::vector<Span>& inspected, TokenMarks& marks) const {
  size_t next = 0;   // the first of `inspected` that begins at or after `at`
  size_t reach = 0;  // the end of those that began before
  for (size_t at = texts_.skip(text, 0); at < text.size(); at = texts_.skip(text, at + 1)) {
    for (; next < inspected.size() && inspected[next].begin < at; ++next) reach = std::max(reach, inspected[next].end);
    texts_.walk(text, at, [&](int32_t place, size_t end) {
      const bool is_inspected = reach > at || (next < inspected.size() && inspected[next].begin < end);
      const size_t inside = next_character(text, at);
      if (inside >= end || is_inspected) {
        marks.push_back({end, tokens_[static_cast<size_t>(place)].id});
      } else {
        marks.push_back({inside, -1});
      }
    });
  }
}

// A token may reach from the template's text into this one, as in `<{{ name }}>`. The spaces at the ends may be
// trimmed.
void MarkFinder::find_at_ends(std::string_view text, TokenMarks& marks) const {
  size_t begin = 0;
  size_t end = text.size();
  while (begin < end && is_space(text[begin])) ++begin;
  while (end > begin && is_space(text[end - 1])) --end;
  const auto look = [&](size_t at) {
    core_texts_.walk(text.substr(0, end), at, [&](int32_t core, size_t core_end) {
      for (const int32_t place : same_core_[static_cast<size_t>(core)]) {
        const std::string_view token = tokens_[static_cast<size_t>(place)].text;
        const Core& part = cores_[static_cast<size_t>(place)];
        const size_t before = std::min(at - begin, part.begin);
        const size_t after = std::min(end - core_end, token.size() - part.end);
        if (text.substr(at - before, before) != token.substr(part.begin - before, before)) continue;
        if (text.substr(core_end, after) != token.substr(part.end, after)) continue;
        if (before < part.begin) marks.push_back({begin, -1});
        if (part.end + after < token.size()) marks.push_back({end, -1});
      }
    });
  };
  // A part at the beginning has its core within the first bytes, one at the end within the last.
  const size_t window = std::min(end - begin, longest_);
  const size_t tail = end - window;
  for (size_t at = begin; at < begin + window; ++at) look(at);
  for (size_t at = std::max(begin + window, tail); at < end; ++at) look(at);
}

// A template that looks for a text may remove it, and join the texts around it: "<|im_</think>end|>".
void MarkFinder::find_joined(std::string_view text, const std::vector<Span>& inspected, TokenMarks& marks) const {
  if (inspected.empty()) return;
  size_t next = 0;   // in inspected
  size_t reach = 0;  // the end of those that began before
  for (size_t at = texts_.skip(text, 0); at < text.size(); at = texts_.skip(text, at + 1)) {
    for (; next < inspected.size() && inspected[next].begin <= at; ++next) reach = std::max(reach, inspected[next].end);
    if (at >= reach) marks.push_back({next_character(text, at), -1});
  }
}

}  // namespace lh
