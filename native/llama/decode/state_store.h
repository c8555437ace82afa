// States of sequences that have no place in the context, in host memory. When it is full, the states unused for longest
// are dropped. Any thread. Must not: take states from outside the context of this process; llama.cpp trusts them.
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
  // The number of tokens for which its memory is also valid for `others`.
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
  // Counts bytes that are used elsewhere, and drops states for them. False if they do not fit even then.
  [[nodiscard]] bool reserve(size_t bytes);
  void unreserve(size_t bytes);

  // Replaces states that the new one makes superfluous. A state that does not fit is not kept, and nothing is dropped
  // for it.
  void put(StoredState state, const CutRule& rule);

  using StatePtr = std::shared_ptr<const StoredState>;
  struct Match {
    StatePtr state;
    Resume resume;
  };
  // The best state for a prompt; `worth(match)` says whether a copy pays. The state is null if there is none.
  template <typename Worth>
  [[nodiscard]] Match best(const std::vector<int32_t>& prompt, const AdapterKey& adapters, const CutRule& rule,
                           const Worth& worth) const {
    Match best;
    const MutexLock lock(mutex_);
    for (const StatePtr& one : states_) {
      // The last token of the prompt must be evaluated, because its logits are needed.
      const int32_t shared = std::min(one->shared_with(prompt, adapters), static_cast<int32_t>(prompt.size()) - 1);
      if (shared <= best.resume.length) continue;
      Match match{one, resume_at(shared, one->length(), one->first, one->checkpoints, rule)};
      if (match.resume.length > best.resume.length && worth(match)) best = std::move(match);
    }
    return best;
  }
  // True if some state can continue all of these tokens.
  [[nodiscard]] bool holds(const std::vector<int32_t>& tokens, const AdapterKey& adapters, const CutRule& rule) const;
  void used(const StatePtr& state);
  void drop(const StatePtr& state);
  // Drops at least `bytes` bytes of states, those unused for longest first, or all. Returns the number of bytes.
  size_t drop_oldest(size_t bytes);
  [[nodiscard]] size_t stored() const;  // bytes of states

 private:
  size_t drop_last() LH_REQUIRES(mutex_);
  void make_room(size_t bytes) LH_REQUIRES(mutex_);

  const size_t budget_;
  mutable Mutex mutex_;
  size_t reserved_ LH_GUARDED_BY(mutex_) = 0;
  size_t stored_ LH_GUARDED_BY(mutex_) = 0;
  std::list<StatePtr> states_ LH_GUARDED_BY(mutex_);  // most recently used first
};
static_assert(!std::is_copy_constructible_v<StateStore>);

}  // namespace lh
