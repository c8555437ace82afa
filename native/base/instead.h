// Replaces a value for a while.
#pragma once

#include <utility>

namespace lh {

// The place has `value` while the object lives, and then the old value again.
template <typename T>
class Instead {
 public:
  Instead(T& place, T value) : place_(place), kept_(std::exchange(place, std::move(value))) {}
  ~Instead() { place_ = std::move(kept_); }
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;

 private:
  T& place_;
  T kept_;
};

}  // namespace lh
