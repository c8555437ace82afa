// The sequences of a context and the content of their memory: finds for a new prompt the longest prefix that was
// already evaluated, in place, in another sequence or in host memory.
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
  // `cache_bytes`: host memory for states without a sequence and for checkpoints.
  LlamaSlots(LlamaContext& context, int32_t count, size_t cache_bytes)
      : context_(context), slots_(static_cast<size_t>(count)), store_(cache_bytes) {}

  struct Lease {
    int32_t sequence;
    int32_t cached;  // tokens of the prompt that need no evaluation; at least one is left to evaluate
  };

  // Takes a free sequence for `prompt` and fills it with the known prefix, as those adapters computed it. None if all
  // are taken.
  std::optional<Lease> acquire(const std::vector<int32_t>& prompt, const AdapterKey& adapters);
  void release(int32_t sequence);
  // Used for a sequence without evaluated tokens: takes over the prefix that another sequence now shares with `prompt`,
  // if it is longer. Returns the resulting length.
  int32_t extend(int32_t sequence, const std::vector<int32_t>& prompt);

  // Records a token that the memory of `sequence` now holds.
  void append(int32_t sequence, int32_t token) { slot(sequence).tokens.push_back(token); }
  // Makes the current length one to which the sequence can be cut back, if the memory needs that and there is room.
  void checkpoint(int32_t sequence);
  [[nodiscard]] bool needs_checkpoints() const { return !context_.cut_rule().anywhere && store_.enabled(); }
  // After a failed decode or wrong drafts, the memory may hold more than was appended. Removes that, or everything if
  // it cannot.
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
    AdapterKey adapters;  // that computed the tokens
    Checkpoints checkpoints;
    bool taken = false;
    uint64_t used = 0;  // a clock of leases
  };

  struct Match {
    int32_t sequence = -1;
    int32_t shared = 0;
    Resume resume;  // in place for a free sequence, otherwise by copy
  };

  // kInPlace: a free sequence may be continued in place. kCopy: it is copied.
  enum class Taking { kInPlace, kCopy };
  // The sequence with the longest usable prefix for `prompt`; among equals a free one.
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
  // True if a copy of a prefix shares the cells.
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
