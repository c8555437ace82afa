// The engine's objects that the caller's functions use, by handles that look like pointers. A handle that was freed, or
// that never existed, is recognized.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/threads/handles.h"

namespace lh {

// Any thread. `Handle` is the incomplete type of engine.h.
template <typename Handle, typename Held>
class PointerHandles {
 public:
  PointerHandles() = default;
  PointerHandles(const PointerHandles&) = delete;
  PointerHandles& operator=(const PointerHandles&) = delete;

  [[nodiscard]] Handle* add(Held held) {
    return reinterpret_cast<Handle*>(static_cast<uintptr_t>(held_.add(std::make_shared<Held>(std::move(held)))));
  }
  // Null: there is none.
  [[nodiscard]] std::shared_ptr<Held> find(const Handle* handle) const { return held_.find(number(handle)); }
  // The same, and it is the caller's no longer.
  [[nodiscard]] std::shared_ptr<Held> take(const Handle* handle) { return held_.take(number(handle)); }

 private:
  [[nodiscard]] static uint64_t number(const Handle* handle) { return reinterpret_cast<uintptr_t>(handle); }

  Handles<Held> held_;
};

}  // namespace lh
