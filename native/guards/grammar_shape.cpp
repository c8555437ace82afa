#include "guards/grammar_shape.h"

#include <algorithm>

namespace lh {

GrammarShape::GrammarShape(const GrammarRules& rules) {
  for (const auto& rule : rules) {
    bare_.push_back(false);
    auto& starts = alternatives_.emplace_back();
    bool start = true;
    for (const GrammarElement& element : rule) {
      if (start) starts.push_back(static_cast<Place>(elements_.size()));
      if (start && element.kind <= GrammarKind::kAlternative) bare_.back() = true;
      start = element.kind == GrammarKind::kAlternative;
      elements_.push_back(element);
    }
  }
  find_empty();
}

uint32_t GrammarShape::rule_of(Place place) const {
  const auto after = std::ranges::upper_bound(alternatives_, place, {}, [](const auto& starts) { return starts[0]; });
  return static_cast<uint32_t>(after - alternatives_.begin() - 1);
}

// Each alternative that has only rules waits for these to be found empty, so the work is linear.
void GrammarShape::find_empty() {
  std::vector<std::vector<uint32_t>> waiting(alternatives_.size());  // by rule: alternatives, once for each use
  std::vector<std::pair<uint32_t, uint32_t>> left;                   // by alternative: its rule, and uses to wait for
  std::vector<bool> empty(alternatives_.size());
  std::vector<uint32_t> found;
  const auto note = [&](uint32_t rule) {
    if (!empty[rule]) found.push_back(rule);
    empty[rule] = true;
  };
  for (uint32_t rule = 0; rule < alternatives_.size(); ++rule) {
    for (const Place start : alternatives_[rule]) {
      Place end = start;
      while (at(end).kind == GrammarKind::kRule) ++end;
      if (!ends(end)) continue;
      for (Place place = start; place < end; ++place) {
        waiting[at(place).value].push_back(static_cast<uint32_t>(left.size()));
      }
      left.emplace_back(rule, end - start);
      if (end == start) note(rule);
    }
  }
  while (!found.empty()) {
    const uint32_t rule = found.back();
    found.pop_back();
    for (const uint32_t one : waiting[rule]) {
      if (--left[one].second == 0) note(left[one].first);
    }
  }
  empty_.resize(elements_.size());
  for (size_t i = elements_.size(); i-- > 0;) {
    const auto place = static_cast<Place>(i);
    empty_[i] = ends(place) || (at(place).kind == GrammarKind::kRule && empty[at(place).value] && empty_[i + 1]);
  }
}

// The rules that llama.cpp's search enters: it treats only a rule with an alternative without elements as one that may
// be empty.
std::vector<uint32_t> GrammarShape::beginnings(uint32_t rule) const {
  std::vector<uint32_t> result;
  for (const Place start : alternatives_[rule]) {
    bool first = true;
    for (Place place = start; first && at(place).kind == GrammarKind::kRule; ++place) {
      result.push_back(at(place).value);
      first = bare_[at(place).value];
    }
  }
  return result;
}

std::optional<GrammarFault> GrammarShape::check_beginnings() const {
  struct Open {
    uint32_t rule;
    std::vector<uint32_t> next;
  };
  enum State : uint8_t { kNew, kOpen, kDone };
  struct Rule {
    State state = kNew;
    uint64_t ways = 1;
    uint64_t depth = 1;
  };
  std::vector<Rule> rules(alternatives_.size());
  std::vector<Open> open;
  const auto enter = [&](uint32_t rule) {
    rules[rule].state = kOpen;
    open.push_back({rule, beginnings(rule)});
  };
  uint64_t all = 0;
  for (uint32_t rule = 0; rule < rules.size(); ++rule) {
    if (rules[rule].state != kNew) continue;
    enter(rule);
    while (!open.empty()) {
      const uint32_t current = open.back().rule;
      if (open.back().next.empty()) {
        open.pop_back();
        rules[current].state = kDone;
        continue;
      }
      const uint32_t inner = open.back().next.back();
      if (rules[inner].state == kOpen) return GrammarFault{inner, "begins with itself (left recursion)"};
      if (rules[inner].state == kNew) {  // stays in the list until it is done
        enter(inner);
        continue;
      }
      open.back().next.pop_back();
      rules[current].ways += rules[inner].ways;
      rules[current].depth = std::max(rules[current].depth, rules[inner].depth + 1);
      if (rules[current].ways > kMaxBeginnings) return GrammarFault{current, "can begin in too many ways"};
      if (rules[current].depth > kMaxGrammarDepth) {
        return GrammarFault{current, "begins with more than " + std::to_string(kMaxGrammarDepth) + " rules in a row"};
      }
    }
    all += rules[rule].ways;
    if (all > kMaxBeginnings) return GrammarFault{rule, "can begin in too many ways"};
  }
  return std::nullopt;
}

}  // namespace lh
