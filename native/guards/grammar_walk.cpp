#include "guards/grammar_walk.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "guards/grammar_stacks.h"

namespace lh {
namespace {

using Stack = GrammarStacks::Stack;
using WalkState = std::vector<Stack>;

class GrammarWalker {
 public:
  GrammarWalker(const GrammarShape& shape, const GrammarVocabulary& vocabulary, GrammarBudget& budget)
      : shape_(shape),
        vocabulary_(vocabulary),
        most_stacks_(std::min<size_t>(kMaxGrammarStacks, kMaxGrammarTries / std::max<size_t>(vocabulary.size(), 1))),
        thorough_(budget.thorough),
        stacks_(shape, budget) {}

  std::optional<GrammarFault> walk(uint32_t root) {
    try {
      WalkState first;
      double work = 0;
      for (const auto start : shape_.alternatives(root)) {
        const GrammarStacks::Ends ends = stacks_.from(start);
        append(first, ends.stacks);
        work += ends.work;
      }
      if (work > kMaxGrammarWork) fail(root, "can go on in too many ways");
      meet(std::move(first));
      while (!fault_ && (!waiting_.empty() || !left_.empty())) {
        if (!waiting_.empty()) {
          const WalkState state = std::move(waiting_.front());
          waiting_.pop_front();
          visit(state);
        } else {
          const Stack rest = left_.front();
          left_.pop_front();
          meet(stacks_.from_stack(rest).stacks);
        }
      }
    } catch (const GrammarTooLarge& large) {
      fail(large.rule, large.what, large.unproven);
    }
    return std::move(fault_);
  }

 private:
  // Walks as llama.cpp does: each path through a token is followed separately, even if several lead to the same stack.
  using Paths = std::unordered_map<Stack, double>;

  static void append(WalkState& state, const WalkState& more) { state.insert(state.end(), more.begin(), more.end()); }

  // A character that represents all that the same stacks match.
  struct Candidate {
    uint32_t character;
    double weight;  // of the stacks that match it
  };

  // A state is visited if it has a stack of a kind that none before it had. Of a stack of a known kind only what
  // follows when its text has ended can be new.
  void meet(WalkState state) {
    std::ranges::sort(state);
    state.erase(std::unique(state.begin(), state.end()), state.end());
    if (state.size() > most_stacks_) return refuse(state.front());
    bool fresh = false;
    for (const Stack stack : state) {
      Stack rest = 0;
      const bool known = !kinds_.insert(stacks_.kind(stack, rest)).second;
      fresh = fresh || !known;
      if (known && rest != 0 && rests_.insert(rest).second) left_.push_back(rest);
    }
    if (fresh) {
      waiting_.push_back(std::move(state));
    } else if (state.size() > kMany) {
      check_work(state);
    }
  }

  void check_work(const WalkState& state) {
    double work = 0;
    for (const Stack stack : state) {
      work += stacks_.after(stack).work + static_cast<double>(stacks_.characters(stack).size()) / 64;
    }
    stacks_.spend(state.size() / 8, state.front());
    if (work > kMaxGrammarWork) refuse(state.front());
  }

  void visit(const WalkState& state) {
    check_work(state);
    if (fault_) return;
    std::vector<Candidate> candidates = candidates_of(state);
    bool ambiguous = false;
    for (const auto& [character, weight] : candidates) {
      stacks_.spend(1 + state.size() / 8, state.front());
      WalkState next;
      for (const Stack stack : state) {
        if (!stacks_.matches(stack, character)) continue;
        ambiguous = ambiguous || !next.empty();
        append(next, stacks_.after(stack).stacks);
      }
      stacks_.spend(next.size() / 8, state.front());
      if (!next.empty()) meet(std::move(next));
    }
    if (ambiguous) measure(state, candidates);  // otherwise a token has one path, until another state
  }

  static Stack stack_of(Stack stack) { return stack; }
  static Stack stack_of(const Paths::value_type& path) { return path.first; }
  static double weight_of(Stack /*stack*/) { return 1; }
  static double weight_of(const Paths::value_type& path) { return path.second; }

  // One character for each set of stacks that match it, the heaviest first; characters of words apart from others.
  template <typename Stacks>
  std::vector<Candidate> candidates_of(const Stacks& stacks) {
    struct Change {
      uint32_t at;
      uint64_t mark;
      double weight;
    };
    std::vector<Change> changes;
    for (const uint32_t at : {uint32_t{'0'}, uint32_t{'9' + 1}, uint32_t{'A'}, uint32_t{'Z' + 1}, uint32_t{'_'},
                              uint32_t{'_' + 1}, uint32_t{'a'}, uint32_t{'z' + 1}, uint32_t{0x80}}) {
      changes.push_back({at, 0, 0});
    }
    for (const auto& entry : stacks) {
      const Stack stack = stack_of(entry);
      const uint64_t mark = (uint64_t{stack} + 1) * 0x9e3779b97f4a7c15;
      const CharacterRanges& ranges = stacks_.characters(stack);
      stacks_.spend(ranges.size() / 4, stack);
      for (const auto& [begin, end] : ranges) {
        changes.push_back({begin, mark, weight_of(entry)});
        changes.push_back({end, mark, -weight_of(entry)});
      }
    }
    std::ranges::sort(changes, {}, &Change::at);
    std::vector<Candidate> found;
    std::unordered_set<uint64_t> sets;
    uint64_t set = 0;
    double weight = 0;
    for (size_t i = 0; i < changes.size();) {
      const uint32_t at = changes[i].at;
      for (; i < changes.size() && changes[i].at == at; ++i) {
        set ^= changes[i].mark;
        weight += changes[i].weight;
      }
      if (set != 0 && sets.insert(is_word_character(at) ? ~set : set).second) found.push_back({at, weight});
    }
    std::ranges::stable_sort(found, std::greater(), &Candidate::weight);
    return found;
  }

  // Tokens are a few characters of any kind, words, or one character many times: of each kind the dearest is looked
  // for, one character after the other. The other tokens of the vocabulary are tried where there are ever more paths.
  void measure(const WalkState& state, const std::vector<Candidate>& candidates) {
    if (!thorough_) return;
    Paths paths;
    for (const Stack stack : state) paths.emplace(stack, 1);
    bool grows = follow(paths, kMixedLength, [](uint32_t) { return true; });
    grows = follow(paths, kWordLength, is_word_character) || grows;
    if (grows) follow_tokens(paths, 0, vocabulary_.unusual().size(), 0, 0);
    size_t tried = 0;
    for (const Candidate& one : candidates) {
      if (fault_ || ++tried > kTries) return;
      follow(paths, one.character);
    }
  }

  static double count(const Paths& paths) {
    double all = 0;
    for (const auto& path : paths) all += path.second;
    return all;
  }

  // Returns true if more paths than at first were under way.
  template <typename Allowed>
  bool follow(Paths paths, int length, const Allowed& allowed) {
    double work = 0;
    const double first = count(paths);
    bool grows = false;
    while (length-- > 0 && !paths.empty() && !fault_) {
      double most = 0;
      uint32_t dearest = 0;
      size_t tried = 0;
      for (const auto& [character, weight] : candidates_of(paths)) {
        if (character >= GrammarStacks::kToken || !allowed(character)) continue;
        if (++tried > kTries) break;
        const double cost = cost_of(paths, character);
        if (cost > most) {
          most = cost;
          dearest = character;
        }
      }
      if (most == 0) break;
      work += most;
      if (work > kMaxGrammarWork) {
        refuse(paths.begin()->first);
        break;
      }
      paths = after(paths, dearest);
      grows = grows || count(paths) > first;
    }
    return grows;
  }

  // The tokens from..to, which begin with the same `length` characters; `paths` are those through them.
  void follow_tokens(const Paths& paths, size_t from, size_t to, size_t length, double work) {
    const auto& tokens = vocabulary_.unusual();
    while (from < to && !fault_) {
      if (tokens[from].size() == length) {
        ++from;
        continue;
      }
      const uint32_t character = tokens[from][length];
      const auto same = [&](const GrammarVocabulary::Text& token) { return token[length] <= character; };
      const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(from);
      const auto end = std::partition_point(first, tokens.begin() + static_cast<std::ptrdiff_t>(to), same);
      const size_t behind = static_cast<size_t>(end - tokens.begin());
      const double cost = cost_of(paths, character);
      if (work + cost > kMaxGrammarWork) return refuse(paths.begin()->first);
      if (cost > 0) follow_tokens(after(paths, character), from, behind, length + 1, work + cost);
      from = behind;
    }
  }

  // The same character again and again.
  void follow(Paths paths, uint32_t character) {
    if (character >= GrammarStacks::kToken) return;
    double work = 0;
    for (int i = 0; i < kRunLength && !paths.empty() && !fault_; ++i) {
      work += cost_of(paths, character);
      if (work > kMaxGrammarWork) return refuse(paths.begin()->first);
      paths = after(paths, character);
    }
  }

  Paths after(const Paths& paths, uint32_t character) {
    Paths next;
    for (const auto& [stack, count] : paths) {
      if (!stacks_.matches(stack, character)) continue;
      const std::vector<Stack>& ends = stacks_.after(stack).stacks;
      stacks_.spend(1 + ends.size(), stack);
      for (const Stack end : ends) next[end] += count;
    }
    return next;
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

  void fail(uint32_t rule, const char* what, bool unproven = false) {
    if (!fault_) fault_ = GrammarFault{rule, what, unproven};
  }

  static constexpr size_t kTries = 16;
  static constexpr size_t kMany = 64;  // stacks of a state that is worth another look

  const GrammarShape& shape_;
  const GrammarVocabulary& vocabulary_;
  const size_t most_stacks_;
  const bool thorough_;
  GrammarStacks stacks_;
  std::unordered_set<uint64_t> kinds_;
  std::deque<WalkState> waiting_;
  std::unordered_set<Stack> rests_;  // that have been in left_
  std::deque<Stack> left_;
  std::optional<GrammarFault> fault_;
};

}  // namespace

std::optional<GrammarFault> check_grammar_work(const GrammarShape& shape, uint32_t root,
                                               const GrammarVocabulary& vocabulary, GrammarBudget& budget) {
  return GrammarWalker(shape, vocabulary, budget).walk(root);
}

}  // namespace lh
