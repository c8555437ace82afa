// Objects that other code knows by a number, which is never reused.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/threads/mutex.h"

namespace lh {

// Any thread.
template <typename T>
class Handles {
 public:
  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  uint64_t add(std::shared_ptr<T> object) {
    const MutexLock lock(mutex_);
    all_.emplace(++last_, std::move(object));
    return last_;
  }
  // Null: there is none.
  [[nodiscard]] std::shared_ptr<T> find(uint64_t handle) const {
    const MutexLock lock(mutex_);
    const auto found = all_.find(handle);
    return found == all_.end() ? nullptr : found->second;
  }
  // Throws std::out_of_range, which the caller of a request receives as an error.
  [[nodiscard]] std::shared_ptr<T> get(uint64_t handle) const {
    if (auto found = find(handle)) return found;
    throw std::out_of_range("no object " + std::to_string(handle));
  }
  // Like find(), and removes it, so that it is not found again.
  std::shared_ptr<T> take(uint64_t handle) {
    const MutexLock lock(mutex_);
    const auto found = all_.find(handle);
    if (found == all_.end()) return nullptr;
    std::shared_ptr<T> object = std::move(found->second);
    all_.erase(found);
    return object;
  }
  [[nodiscard]] std::vector<std::pair<uint64_t, std::shared_ptr<T>>> all() const {
    const MutexLock lock(mutex_);
    return {all_.begin(), all_.end()};
  }

 private:
  mutable Mutex mutex_;
  uint64_t last_ LH_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, std::shared_ptr<T>> all_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<Handles<int>>);

}  // namespace lh
