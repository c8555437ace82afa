// The limits of grammars.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lh {

// The work that checking may cost, in steps of some 100 ns; several grammars may share it.
struct GrammarBudget {
  uint64_t steps = 8'000'000;
};

inline constexpr size_t kMaxGrammarStacks = 4000;     // ways to go on after a text
inline constexpr uint64_t kMaxGrammarWork = 400'000;  // stacks that llama.cpp makes to try one token

}  // namespace lh
