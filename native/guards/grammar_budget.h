// The limits of grammars.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lh {

// The work that checking may cost, in steps of some 100 ns; several grammars may share it.
struct GrammarBudget {
  uint64_t steps = 8'000'000;
  // False: for a grammar that a template makes of parts that were checked. Only the ways to continue count, not those
  // through one long token: llama.cpp's rules for spaces, which every set of tools gets, have too many of these for a
  // token of 31 line ends. A grammar that is too large to be checked to its end passes.
  bool thorough = true;
};

inline constexpr size_t kMaxGrammarStacks = 4000;          // ways to continue after a text
inline constexpr uint64_t kMaxGrammarWork = 400'000;       // stacks that llama.cpp makes to try one token
inline constexpr uint64_t kMaxGrammarTries = 200'000'000;  // stacks times tokens: each is tried at each, in ns

}  // namespace lh
