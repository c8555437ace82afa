// The engine's objects that the caller's functions hold, by handles that are numbers. A freed or invented handle is
// recognized as invalid, and no number is used twice.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/threads/mutex.h"

namespace lh {

// Any thread. `Handle` is the incomplete type of engine.h.
template <typename Handle, typename Held>
class Handles {
 public:
  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  [[nodiscard]] Handle* add(Held held) {
    const MutexLock lock(mutex_);
    held_.emplace(++last_, std::make_shared<Held>(std::move(held)));
    return reinterpret_cast<Handle*>(last_);
  }
  // Null: the handle is invalid.
  [[nodiscard]] std::shared_ptr<Held> find(const Handle* handle) {
    const MutexLock lock(mutex_);
    const auto found = held_.find(reinterpret_cast<uintptr_t>(handle));
    return found == held_.end() ? nullptr : found->second;
  }
  // The same, and removes the handle.
  [[nodiscard]] std::shared_ptr<Held> take(const Handle* handle) {
    const MutexLock lock(mutex_);
    const auto found = held_.find(reinterpret_cast<uintptr_t>(handle));
    if (found == held_.end()) return nullptr;
    std::shared_ptr<Held> taken = std::move(found->second);
    held_.erase(found);
    return taken;
  }

 private:
  Mutex mutex_;
  std::map<uintptr_t, std::shared_ptr<Held>> held_ LH_GUARDED_BY(mutex_);
  uintptr_t last_ LH_GUARDED_BY(mutex_) = 0;
};

}  // namespace lh
