#include "guards/grammar_walk.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "guards/grammar_stacks.h"

namespace lh {
namespace {

using Stack = GrammarStacks::Stack;
using WalkState = std::vector<Stack>;

bool is_word_character(uint32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= 'a' && c <= 'z') ||
         (c >= 0x80 && c < GrammarStacks::kToken);
}

class GrammarWalker {
 public:
  GrammarWalker(const GrammarShape& shape, GrammarBudget& budget) : shape_(shape), stacks_(shape, budget) {}

  std::optional<GrammarFault> walk(uint32_t root) {
    try {
      WalkState first;
      for (const auto start : shape_.alternatives(root)) append(first, stacks_.from(start).stacks);
      meet(std::move(first));
      while (!waiting_.empty() && !fault_) {
        const WalkState state = std::move(waiting_.front());
        waiting_.pop_front();
        visit(state);
      }
    } catch (const GrammarTooLarge& large) {
      fail(large.rule, "can go on in too many ways");
    }
    return std::move(fault_);
  }

 private:
  // In llama.cpp's way: each path through a token is followed separately, however many lead to the same stack.
  using Paths = std::unordered_map<Stack, double>;

  static void append(WalkState& state, const WalkState& more) { state.insert(state.end(), more.begin(), more.end()); }

  // A state is visited if it has a stack of a kind that none before it had.
  void meet(WalkState state) {
    std::ranges::sort(state);
    state.erase(std::unique(state.begin(), state.end()), state.end());
    bool fresh = false;
    for (const Stack stack : state) fresh = kinds_.insert(stacks_.kind(stack)).second || fresh;
    if (fresh) waiting_.push_back(std::move(state));
  }

  void visit(const WalkState& state) {
    double work = 0;
    for (const Stack stack : state) work += stacks_.after(stack).work;
    if (state.size() > kMaxGrammarStacks || work > kMaxGrammarWork) return refuse(state.front());
    const std::vector<uint32_t> characters = characters_of(state);
    bool ambiguous = false;
    for (const uint32_t character : characters) {
      stacks_.spend(1 + state.size() / 8, state.front());
      WalkState next;
      for (const Stack stack : state) {
        if (!stacks_.matches(stack, character)) continue;
        ambiguous = ambiguous || !next.empty();
        append(next, stacks_.after(stack).stacks);
      }
      if (!next.empty()) meet(std::move(next));
    }
    if (ambiguous) measure(state, characters);  // otherwise a token has one path, until another state
  }

  template <typename Stacks>
  std::vector<uint32_t> characters_of(const Stacks& stacks) {
    std::vector<uint32_t> found;
    for (const auto& entry : stacks) {
      if constexpr (std::is_same_v<Stacks, Paths>) {
        stacks_.add_characters(entry.first, found);
      } else {
        stacks_.add_characters(entry, found);
      }
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  // Tokens are a few characters of any kind, words, or one character many times. Of each kind the dearest is looked
  // for, one character after the other.
  void measure(const WalkState& state, const std::vector<uint32_t>& characters) {
    Paths paths;
    for (const Stack stack : state) paths.emplace(stack, 1);
    follow(paths, kMixed, [](uint32_t) { return true; });
    follow(paths, kWord, is_word_character);
    size_t tried = 0;
    for (const uint32_t one : characters) {
      if (fault_ || ++tried > kTries) return;
      follow(paths, kRun, [one](uint32_t character) { return character == one; });
    }
  }

  template <typename Allowed>
  void follow(Paths paths, int length, const Allowed& allowed) {
    double work = 0;
    while (length-- > 0 && !paths.empty() && !fault_) {
      const Stack any = paths.begin()->first;
      double most = 0;
      uint32_t dearest = 0;
      size_t tried = 0;
      for (const uint32_t character : characters_of(paths)) {
        if (character >= GrammarStacks::kToken || !allowed(character)) continue;
        if (++tried > kTries) break;
        const double cost = cost_of(paths, character);
        if (cost > most) {
          most = cost;
          dearest = character;
        }
      }
      if (most == 0) return;
      work += most;
      if (work > kMaxGrammarWork) return refuse(any);
      Paths next;
      for (const auto& [stack, count] : paths) {
        if (!stacks_.matches(stack, dearest)) continue;
        for (const Stack end : stacks_.after(stack).stacks) next[end] += count;
      }
      stacks_.spend(next.size(), any);
      paths = std::move(next);
    }
  }

  double cost_of(const Paths& paths, uint32_t character) {
    double cost = 0;
    for (const auto& [stack, count] : paths) {
      if (stacks_.matches(stack, character)) cost += count * stacks_.after(stack).work;
    }
    stacks_.spend(1 + paths.size() / 8, paths.begin()->first);
    return cost;
  }

  void refuse(Stack stack) { fail(shape_.rule_of(stacks_.top(stack)), "can go on in too many ways"); }

  void fail(uint32_t rule, const char* what) {
    if (!fault_) fault_ = GrammarFault{rule, what};
  }

  static constexpr int kMixed = 6;
  static constexpr int kWord = 24;
  static constexpr int kRun = 64;
  static constexpr size_t kTries = 16;

  const GrammarShape& shape_;
  GrammarStacks stacks_;
  std::unordered_set<uint64_t> kinds_;
  std::deque<WalkState> waiting_;
  std::optional<GrammarFault> fault_;
};

}  // namespace

std::optional<GrammarFault> check_grammar_work(const GrammarShape& shape, uint32_t root, GrammarBudget& budget) {
  return GrammarWalker(shape, budget).walk(root);
}

}  // namespace lh
