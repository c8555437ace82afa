#include "guards/grammar_stacks.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "base/threads/cancel.h"

namespace lh {

GrammarStacks::Stack GrammarStacks::push(Place place, Stack below) {
  const uint64_t key = uint64_t{place} << 32 | below;
  const auto [found, fresh] = known_.try_emplace(key, static_cast<Stack>(nodes_.size()));
  if (!fresh) return found->second;
  nodes_.push_back({place, below, nodes_[below].depth + 1, -1});
  if (nodes_.size() > kMaxNodes)
    throw GrammarTooLarge{shape_.rule_of(place), "makes the grammar too large to be checked"};
  return found->second;
}

void GrammarStacks::spend(uint64_t steps, Stack stack) {
  const bool enough = steps <= budget_.steps;
  budget_.steps = enough ? budget_.steps - steps : 0;
  if (!enough) throw GrammarTooLarge{shape_.rule_of(nodes_[stack].top)};
  polled_ += steps;
  if (polled_ < kPoll) return;
  polled_ = 0;
  if (CancelScope::cancelled()) {
    throw GrammarTooLarge{shape_.rule_of(nodes_[stack].top), "was not checked to the end: the work was cancelled"};
  }
}

GrammarStacks::Ends GrammarStacks::expand(Stack stack) {
  Ends result;
  std::vector<Stack> left = {stack};
  std::unordered_set<Stack> seen = {stack};
  while (!left.empty()) {
    const Stack current = left.back();
    left.pop_back();
    spend(1, stack);
    result.work += 1 + nodes_[current].depth / 64.0;  // llama.cpp copies and compares whole stacks
    const Place top = nodes_[current].top;
    if (current == 0 || shape_.at(top).kind != GrammarKind::kRule) {
      result.stacks.push_back(current);
      const bool many = result.stacks.size() > kMaxGrammarStacks;
      if (++kept_ > kMaxKept || many) {
        throw GrammarTooLarge{.rule = shape_.rule_of(nodes_[stack].top), .unproven = !many};
      }
      continue;
    }
    Stack rest = nodes_[current].below;
    if (!shape_.ends(top + 1)) rest = push(top + 1, rest);
    for (const Place first : shape_.alternatives(shape_.at(top).value)) {
      const Stack next = shape_.ends(first) ? rest : push(first, rest);
      if (seen.insert(next).second) {
        left.push_back(next);
      } else {  // llama.cpp makes this stack, too, before it finds it there
        spend(1, stack);
        result.work += 1;
      }
    }
  }
  return result;
}

const GrammarStacks::Ends& GrammarStacks::after(Stack stack) {
  if (nodes_[stack].ends < 0) {
    Ends ends;
    if (stack != 0) {
      Place next = nodes_[stack].top + 1;
      while (shape_.at(next).kind == GrammarKind::kOrCharacter || shape_.at(next).kind == GrammarKind::kRangeEnd)
        ++next;
      const Stack below = nodes_[stack].below;
      ends = expand(shape_.ends(next) ? below : push(next, below));
    }
    nodes_[stack].ends = static_cast<int32_t>(ends_.size());
    ends_.push_back(std::move(ends));
  }
  return ends_[static_cast<size_t>(nodes_[stack].ends)];
}

CharacterRanges GrammarStacks::ranges_at(Place place) const {
  const GrammarElement first = shape_.at(place);
  if (first.kind == GrammarKind::kToken) return {{kToken + first.value, kToken + first.value + 1}};
  if (first.kind == GrammarKind::kTokenNot)
    return {{kToken, kToken + first.value}, {kToken + first.value + 1, kAfterTokens}};
  if (first.kind == GrammarKind::kAnyCharacter) return {{0, kToken}};
  CharacterRanges listed;
  do {
    const bool range = shape_.at(place + 1).kind == GrammarKind::kRangeEnd;
    listed.emplace_back(shape_.at(place).value, shape_.at(place + (range ? 1 : 0)).value + 1);
    place += range ? 2 : 1;
  } while (shape_.at(place).kind == GrammarKind::kOrCharacter);
  std::ranges::sort(listed);
  CharacterRanges merged;
  for (const auto& [begin, end] : listed) {
    if (begin >= end) continue;
    if (merged.empty() || begin > merged.back().second) {
      merged.emplace_back(begin, end);
    } else {
      merged.back().second = std::max(merged.back().second, end);
    }
  }
  if (first.kind != GrammarKind::kCharacterNot) return merged;
  CharacterRanges others;
  uint32_t from = 0;
  for (const auto& [begin, end] : merged) {
    if (from < begin) others.emplace_back(from, begin);
    from = end;
  }
  if (from < kToken) others.emplace_back(from, kToken);
  return others;
}

const CharacterRanges& GrammarStacks::characters(Stack stack) {
  static const CharacterRanges kNone;
  if (stack == 0) return kNone;
  const Place place = nodes_[stack].top;
  auto found = characters_.find(place);
  if (found == characters_.end()) {
    found = characters_.emplace(place, ranges_at(place)).first;
    spend(found->second.size() / 8, stack);
  }
  return found->second;
}

bool GrammarStacks::matches(Stack stack, uint32_t character) {
  const CharacterRanges& ranges = characters(stack);
  const auto behind = std::ranges::upper_bound(ranges, character, {}, &CharacterRanges::value_type::first);
  return behind != ranges.begin() && character < std::prev(behind)->second;
}

uint64_t GrammarStacks::kind(Stack stack, Stack& rest) const {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](uint64_t value) { hash = (hash ^ value) * 0x100000001b3 ^ hash >> 29; };
  add(nodes_[stack].top);
  rest = 0;
  if (stack == 0) return hash;
  int levels = 0;
  do {
    stack = nodes_[stack].below;
    add(nodes_[stack].top + 1 + (stack == 0 ? uint64_t{1} << 40 : 0));
  } while (stack != 0 && ++levels < kMaxLevels && shape_.may_be_empty(nodes_[stack].top));
  rest = stack;
  return hash;
}

}  // namespace lh
