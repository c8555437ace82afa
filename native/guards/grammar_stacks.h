// The stacks of llama.cpp's grammars, each kept once, and how they go on.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "guards/grammar_budget.h"
#include "guards/grammar_shape.h"

namespace lh {

// Thrown when the budget is used up, or one character leads to too many stacks; caught in grammar_walk.cpp.
struct GrammarTooLarge {
  uint32_t rule;
};

class GrammarStacks {
 public:
  using Place = GrammarShape::Place;
  using Stack = uint32_t;  // 0: empty

  struct Ends {
    std::vector<Stack> stacks;  // each is empty or has a character or a token on top
    double work = 0;            // of llama.cpp, to find them
  };

  GrammarStacks(const GrammarShape& shape, GrammarBudget& budget) : shape_(shape), budget_(budget) {}

  // The ends reached from a place with nothing below it.
  [[nodiscard]] Ends from(Place place) { return expand(shape_.ends(place) ? 0 : push(place, 0)); }

  // The ends after the character or the token on top of `stack`. Valid until the next call.
  const Ends& after(Stack stack);

  // kToken + n is the token n, which only elements for tokens match.
  [[nodiscard]] bool matches(Stack stack, uint32_t character) const;

  // Characters that stand for all that the top of the stack matches.
  void add_characters(Stack stack, std::vector<uint32_t>& characters) const;

  // Equal for stacks whose next text can be the same: the top, and the places below it that the text may reach before
  // something is required.
  [[nodiscard]] uint64_t kind(Stack stack) const;

  [[nodiscard]] Place top(Stack stack) const { return nodes_[stack].top; }

  void spend(uint64_t steps, Stack stack);

  static constexpr uint32_t kToken = 0x110000;

 private:
  struct Node {
    Place top;
    Stack below;
    uint32_t depth;
    int32_t ends;  // index in ends_, or -1
  };

  Stack push(Place place, Stack below);
  Ends expand(Stack stack);

  static constexpr size_t kMaxNodes = 400'000;
  static constexpr size_t kMaxKept = 4'000'000;  // stacks in ends_
  static constexpr int kMaxLevels = 8;           // of recursion that is followed through parts that may be empty

  const GrammarShape& shape_;
  GrammarBudget& budget_;
  std::vector<Node> nodes_ = {{0, 0, 0, -1}};
  std::unordered_map<uint64_t, Stack> known_;
  std::vector<Ends> ends_;
  size_t kept_ = 0;
};

}  // namespace lh
