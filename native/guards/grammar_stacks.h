// The stacks of llama.cpp's grammars, each kept once, and the stacks that follow them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "guards/grammar_budget.h"
#include "guards/grammar_shape.h"

namespace lh {

// Thrown when the budget is used up, or one character leads to too many stacks; caught in grammar_walk.cpp.
struct GrammarTooLarge {
  uint32_t rule;
  const char* what = "can go on in too many ways";
  bool unproven = true;
};

// Characters, and tokens behind them: [begin, end) each, in order, apart from each other.
using CharacterRanges = std::vector<std::pair<uint32_t, uint32_t>>;

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

  // The characters that the top of the stack matches. kToken + n is the token n, which only elements for tokens match.
  const CharacterRanges& characters(Stack stack);
  [[nodiscard]] bool matches(Stack stack, uint32_t character);

  // Equal for stacks whose next text can be the same: the top, and the places below it that the text may reach before
  // something is required. `rest`: the stack that begins with what is required there.
  [[nodiscard]] uint64_t kind(Stack stack, Stack& rest) const;

  // The ends reached from a stack before it matches a character.
  [[nodiscard]] Ends from_stack(Stack stack) { return expand(stack); }

  [[nodiscard]] Place top(Stack stack) const { return nodes_[stack].top; }

  void spend(uint64_t steps, Stack stack);

  static constexpr uint32_t kToken = 0x110000;
  static constexpr uint32_t kAfterTokens = UINT32_MAX;

 private:
  struct Node {
    Place top;
    Stack below;
    uint32_t depth;
    int32_t ends;  // index in ends_, or -1
  };

  Stack push(Place place, Stack below);
  Ends expand(Stack stack);
  [[nodiscard]] CharacterRanges ranges_at(Place place) const;

  static constexpr uint64_t kPoll = 20'000;  // steps between two looks whether the work was cancelled
  static constexpr size_t kMaxNodes = 1'500'000;
  static constexpr size_t kMaxKept = 4'000'000;  // stacks in ends_
  static constexpr int kMaxLevels = 8;           // of recursion that is followed through parts that may be empty

  const GrammarShape& shape_;
  GrammarBudget& budget_;
  std::vector<Node> nodes_ = {{0, 0, 0, -1}};
  std::unordered_map<uint64_t, Stack> known_;
  std::vector<Ends> ends_;
  size_t kept_ = 0;
  uint64_t polled_ = 0;
  std::unordered_map<Place, CharacterRanges> characters_;
};

}  // namespace lh
