// The sequences of a context and what the KV cache holds of each: where a new prompt finds its longest cached prefix.
// Must not: know of generations.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inference/llama_context.h"

namespace lh {

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

  Slot& slot(int32_t sequence) { return slots_[static_cast<size_t>(sequence)]; }

  LlamaContext& context_;
  std::vector<Slot> slots_;
  uint64_t clock_ = 0;
};

}  // namespace lh
