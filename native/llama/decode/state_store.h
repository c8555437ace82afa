// The states of sequences that have no place in the context now, in host memory: the longest unused go when it is full.
// Any thread. Must not: know llama.cpp. States come from this process's own context alone: llama.cpp believes what it
// is given.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/threads/mutex.h"
#include "llama/decode/cached_state.h"

namespace lh {

struct StoredState {
  AdapterKey adapters;
  std::vector<int32_t> tokens;
  StateBytes state;
  int32_t first = 0;  // the lowest position that all layers hold
  Checkpoints checkpoints;

  [[nodiscard]] int32_t length() const { return static_cast<int32_t>(tokens.size()); }
  // Of how many tokens it is the memory of these, too.
  [[nodiscard]] int32_t shared_with(const std::vector<int32_t>& others, const AdapterKey& by) const {
    return std::min(common_prefix(tokens, others), common_prefix(adapters, by));
  }
  [[nodiscard]] size_t bytes() const { return state.size() + tokens.size() * sizeof(int32_t) + bytes_of(checkpoints); }
};

class StateStore {
 public:
  explicit StateStore(size_t budget) : budget_(budget) {}
  StateStore(const StateStore&) = delete;
  StateStore& operator=(const StateStore&) = delete;

  [[nodiscard]] bool enabled() const { return budget_ > 0; }
  // Bytes in use elsewhere that count: what is in here goes for them. False when they do not fit even then.
  [[nodiscard]] bool reserve(size_t bytes);
  void unreserve(size_t bytes);

  // Takes the place of states for which it serves as well; one that does not fit is not kept, and nothing goes for it.
  void put(StoredState state, const CutRule& rule);

  using StatePtr = std::shared_ptr<const StoredState>;
  struct Match {
    StatePtr state;
    Resume resume;
  };
  // What a prompt can best go on from; `worth(match)` says which are worth their copying. Its state is null when none.
  template <typename Worth>
  [[nodiscard]] Match best(const std::vector<int32_t>& prompt, const AdapterKey& adapters, const CutRule& rule,
                           const Worth& worth) const {
    Match best;
    const MutexLock lock(mutex_);
    for (const StatePtr& one : states_) {
      // The last token of the prompt must be evaluated: its logits are needed.
      const int32_t shared = std::min(one->shared_with(prompt, adapters), static_cast<int32_t>(prompt.size()) - 1);
      if (shared <= best.resume.length) continue;
      Match match{one, resume_at(shared, one->length(), one->first, one->checkpoints, rule)};
      if (match.resume.length > best.resume.length && worth(match)) best = std::move(match);
    }
    return best;
  }
  // A state from which all of these can be gone on from.
  [[nodiscard]] bool holds(const std::vector<int32_t>& tokens, const AdapterKey& adapters, const CutRule& rule) const;
  void used(const StatePtr& state);
  void drop(const StatePtr& state);
  // At least so many bytes of states, the longest unused first, or all. Returns how many.
  size_t drop_oldest(size_t bytes);
  [[nodiscard]] size_t stored() const;  // bytes of states

 private:
  size_t drop_last() LH_REQUIRES(mutex_);
  void make_room(size_t bytes) LH_REQUIRES(mutex_);

  const size_t budget_;
  mutable Mutex mutex_;
  size_t reserved_ LH_GUARDED_BY(mutex_) = 0;
  size_t stored_ LH_GUARDED_BY(mutex_) = 0;
  std::list<StatePtr> states_ LH_GUARDED_BY(mutex_);  // the one used last is first
};
static_assert(!std::is_copy_constructible_v<StateStore>);

}  // namespace lh
