#include "guards/grammar_stacks.h"

#include <unordered_set>
#include <utility>

namespace lh {

GrammarStacks::Stack GrammarStacks::push(Place place, Stack below) {
  const uint64_t key = uint64_t{place} << 32 | below;
  const auto [found, fresh] = known_.try_emplace(key, static_cast<Stack>(nodes_.size()));
  if (!fresh) return found->second;
  nodes_.push_back({place, below, nodes_[below].depth + 1, -1});
  if (nodes_.size() > kMaxNodes) throw GrammarTooLarge{shape_.rule_of(place)};
  return found->second;
}

void GrammarStacks::spend(uint64_t steps, Stack stack) {
  const bool enough = steps <= budget_.steps;
  budget_.steps = enough ? budget_.steps - steps : 0;
  if (!enough) throw GrammarTooLarge{shape_.rule_of(nodes_[stack].top)};
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
      if (++kept_ > kMaxKept || result.stacks.size() > kMaxGrammarStacks) {
        throw GrammarTooLarge{shape_.rule_of(nodes_[stack].top)};
      }
      continue;
    }
    Stack rest = nodes_[current].below;
    if (!shape_.ends(top + 1)) rest = push(top + 1, rest);
    for (const Place first : shape_.alternatives(shape_.at(top).value)) {
      const Stack next = shape_.ends(first) ? rest : push(first, rest);
      if (seen.insert(next).second) left.push_back(next);
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

bool GrammarStacks::matches(Stack stack, uint32_t character) const {
  if (stack == 0) return false;
  Place place = nodes_[stack].top;
  const GrammarElement first = shape_.at(place);
  if (first.kind == GrammarKind::kToken) return character == kToken + first.value;
  if (first.kind == GrammarKind::kTokenNot) return character >= kToken && character != kToken + first.value;
  if (character >= kToken) return false;
  bool found = first.kind == GrammarKind::kAnyCharacter;
  do {
    const bool range = shape_.at(place + 1).kind == GrammarKind::kRangeEnd;
    const uint32_t last = shape_.at(place + (range ? 1 : 0)).value;
    found = found || (shape_.at(place).value <= character && character <= last);
    place += range ? 2 : 1;
  } while (shape_.at(place).kind == GrammarKind::kOrCharacter);
  return found == (first.kind != GrammarKind::kCharacterNot);
}

void GrammarStacks::add_characters(Stack stack, std::vector<uint32_t>& characters) const {
  if (stack == 0) return;
  Place place = nodes_[stack].top;
  const GrammarElement first = shape_.at(place);
  if (first.kind == GrammarKind::kToken) return characters.push_back(kToken + first.value);
  if (first.kind == GrammarKind::kTokenNot) return characters.push_back(kToken + first.value + 1);
  if (first.kind != GrammarKind::kCharacter) {
    for (const uint32_t one : {'a', ' ', '0', '/'}) {
      if (matches(stack, one)) characters.push_back(one);
    }
    return;
  }
  do {
    characters.push_back(shape_.at(place++).value);
  } while (shape_.at(place).kind == GrammarKind::kOrCharacter || shape_.at(place).kind == GrammarKind::kRangeEnd);
}

uint64_t GrammarStacks::kind(Stack stack) const {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](uint64_t value) { hash = (hash ^ value) * 0x100000001b3 ^ hash >> 29; };
  add(nodes_[stack].top);
  if (stack == 0) return hash;
  int levels = 0;
  do {
    stack = nodes_[stack].below;
    add(nodes_[stack].top + 1 + (stack == 0 ? uint64_t{1} << 40 : 0));
  } while (stack != 0 && ++levels < kMaxLevels && shape_.may_be_empty(nodes_[stack].top));
  return hash;
}

}  // namespace lh
