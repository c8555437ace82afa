// The sequences of a context and what the KV cache holds of each: where a new prompt finds its longest cached prefix.
// Must not: know of generations.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inference/llama_context.h"

namespace lh {

// How many tokens `a` and `b` begin with alike.
int32_t common_prefix(const std::vector<int32_t>& a, const std::vector<int32_t>& b);

class LlamaSlots {
 public:
  LlamaSlots(LlamaContext& context, int32_t count) : context_(context), slots_(static_cast<size_t>(count)) {}

  struct Lease {
    int32_t sequence;
    int32_t cached;  // tokens of the prompt that need no evaluation; at least one is left to evaluate
  };

  // Takes a free sequence for `prompt`: the one that shares the most with it, or the longest unused with the prefix of
  // another. None when all are taken.
  std::optional<Lease> acquire(const std::vector<int32_t>& prompt);
  void release(int32_t sequence);
  // For a sequence of which nothing was evaluated yet: takes over what another has come to share with `prompt`, if that
  // is more than it holds. Returns what it holds then.
  int32_t extend(int32_t sequence, const std::vector<int32_t>& prompt);

  // What the KV cache now holds of `sequence` beyond what it held.
  void append(int32_t sequence, int32_t token) { slot(sequence).tokens.push_back(token); }
  // Forgets from `length` on, in the cache too.
  void truncate(int32_t sequence, int32_t length);
  // After a decode that failed: the cache may hold more than was appended. Forgets that, or all where it cannot.
  void rewind(int32_t sequence);
  [[nodiscard]] size_t count() const { return slots_.size(); }
  [[nodiscard]] int32_t length(int32_t sequence) const {
    return static_cast<int32_t>(slots_[static_cast<size_t>(sequence)].tokens.size());
  }

 private:
  struct Slot {
    std::vector<int32_t> tokens;
    bool taken = false;
    uint64_t used = 0;  // a clock of leases
  };

  struct Match {
    int32_t sequence = -1;
    int32_t length = 0;
  };

  // The sequence that shares most with `prompt`, of equals a free one.
  [[nodiscard]] Match longest_match(const std::vector<int32_t>& prompt) const;
  void copy_prefix(int32_t from, int32_t to, const std::vector<int32_t>& prompt, int32_t length);
  [[nodiscard]] bool taken(int32_t sequence) const { return slots_[static_cast<size_t>(sequence)].taken; }
  Slot& slot(int32_t sequence) { return slots_[static_cast<size_t>(sequence)]; }

  LlamaContext& context_;
  std::vector<Slot> slots_;
  uint64_t clock_ = 0;
};

}  // namespace lh
