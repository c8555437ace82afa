// The sequences of a context and what their memory holds: where a new prompt finds the longest beginning that was
// evaluated already, in its place, in another sequence or in host memory.
// Must not: know of generations.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "llama/decode/context.h"
#include "llama/decode/state_store.h"

namespace lh {

class LlamaSlots {
 public:
  // `cache_bytes`: of host memory, for the states of what has no sequence and for checkpoints.
  LlamaSlots(LlamaContext& context, int32_t count, size_t cache_bytes)
      : context_(context), slots_(static_cast<size_t>(count)), store_(cache_bytes) {}

  struct Lease {
    int32_t sequence;
    int32_t cached;  // tokens of the prompt that need no evaluation; at least one is left to evaluate
  };

  // Takes a free sequence for `prompt`, with what of it is known in its memory, as those adapters computed it. None
  // when all are taken.
  std::optional<Lease> acquire(const std::vector<int32_t>& prompt, const AdapterKey& adapters);
  void release(int32_t sequence);
  // For a sequence of which nothing was evaluated yet: takes over what another has come to share with `prompt`, if that
  // is more than it holds. Returns what it holds then.
  int32_t extend(int32_t sequence, const std::vector<int32_t>& prompt);

  // What the memory now holds of `sequence` beyond what it held.
  void append(int32_t sequence, int32_t token) { slot(sequence).tokens.push_back(token); }
  // Makes the present length one to which the sequence can be cut back, where the memory needs that and there is room.
  void checkpoint(int32_t sequence);
  [[nodiscard]] bool needs_checkpoints() const { return !context_.cut_rule().anywhere && store_.enabled(); }
  // After a decode that failed, or guesses that were wrong: the memory may hold more than was appended. Forgets that,
  // or all where it cannot.
  void rewind(int32_t sequence);
  void forget_idle();  // what all free sequences hold
  [[nodiscard]] const std::vector<int32_t>& tokens(int32_t sequence) const { return slot(sequence).tokens; }
  [[nodiscard]] size_t count() const { return slots_.size(); }
  [[nodiscard]] StateStore& store() { return store_; }  // any thread
  [[nodiscard]] const StateStore& store() const { return store_; }
  [[nodiscard]] int32_t length(int32_t sequence) const {
    return static_cast<int32_t>(slots_[static_cast<size_t>(sequence)].tokens.size());
  }

 private:
  struct Slot {
    std::vector<int32_t> tokens;
    AdapterKey adapters;  // that compute them
    Checkpoints checkpoints;
    bool taken = false;
    uint64_t used = 0;  // a clock of leases
  };

  struct Match {
    int32_t sequence = -1;
    int32_t shared = 0;
    Resume resume;  // in place in a free sequence, of a copy otherwise
  };

  // Whether a free sequence may be gone on with in its place.
  enum class Taking { kInPlace, kCopy };
  // The sequence from which `prompt` can take most, of equals a free one.
  [[nodiscard]] Match longest_match(const std::vector<int32_t>& prompt, const AdapterKey& adapters,
                                    Taking taking) const;
  [[nodiscard]] Resume resume_of(int32_t sequence, int32_t shared) const;
  [[nodiscard]] Resume resume_of_copy(int32_t sequence, int32_t shared) const;
  [[nodiscard]] int32_t first_in_copy(int32_t sequence) const;
  [[nodiscard]] int32_t free_sequence() const;
  void park(int32_t sequence);
  void clear(int32_t sequence);
  void cut_back(int32_t sequence, const Resume& resume);
  void copy(int32_t from, int32_t to, const Resume& resume);
  void bring_back(const StateStore::StatePtr& stored, int32_t to, const Resume& resume);
  [[nodiscard]] bool worth_copying(const Match& match) const;
  void keep_checkpoints(int32_t sequence, Checkpoints checkpoints);
  // True when a copy of a prefix is the same cells once more.
  [[nodiscard]] bool shares_cells() const { return context_.unified() && context_.cut_rule().anywhere; }
  [[nodiscard]] bool taken(int32_t sequence) const { return slots_[static_cast<size_t>(sequence)].taken; }
  Slot& slot(int32_t sequence) { return slots_[static_cast<size_t>(sequence)]; }
  [[nodiscard]] const Slot& slot(int32_t sequence) const { return slots_[static_cast<size_t>(sequence)]; }

  LlamaContext& context_;
  std::vector<Slot> slots_;
  StateStore store_;
  uint64_t clock_ = 0;
};
static_assert(!std::is_copy_constructible_v<LlamaSlots>);

}  // namespace lh
