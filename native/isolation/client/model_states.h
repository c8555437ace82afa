// The states of the models, as the computing process last reported them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <type_traits>

#include "base/json/json.h"
#include "base/threads/mutex.h"

namespace lh {

struct ModelState {
  bool held_up = false;
  uint64_t conversations = 0;
};

// Any thread.
class ModelStates {
 public:
  ModelStates() = default;
  ModelStates(const ModelStates&) = delete;
  ModelStates& operator=(const ModelStates&) = delete;

  // `models`: as FrameKind::kPong has them. Returns the longest step, in milliseconds.
  int64_t take(const Json& models) {
    int64_t longest = 0;
    std::map<uint64_t, ModelState> states;
    for (const Json& one : models) {
      states[one.at(0)] = {one.at(1), one.at(2)};
      longest = std::max(longest, one.at(3).get<int64_t>());
    }
    const MutexLock lock(mutex_);
    states_ = std::move(states);
    return longest;
  }
  [[nodiscard]] ModelState of(uint64_t model) const {
    const MutexLock lock(mutex_);
    const auto found = states_.find(model);
    return found == states_.end() ? ModelState{} : found->second;
  }
  void set_conversations(uint64_t model, uint64_t bytes) {
    const MutexLock lock(mutex_);
    states_[model].conversations = bytes;
  }

 private:
  mutable Mutex mutex_;
  std::map<uint64_t, ModelState> states_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<ModelStates>);

}  // namespace lh
