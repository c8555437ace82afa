// Marks the part of a thread's work whose exceptions become errors of the engine. Code that would otherwise end the
// process may throw there.
#pragma once

#include <type_traits>
#include <utility>

namespace lh {

class CaughtHere {
 public:
  CaughtHere() noexcept : before_(std::exchange(here(), true)) {}
  ~CaughtHere() { here() = before_; }
  CaughtHere(const CaughtHere&) = delete;
  CaughtHere& operator=(const CaughtHere&) = delete;

  [[nodiscard]] static bool applies() noexcept { return here(); }

 private:
  static bool& here() noexcept {
    thread_local bool caught = false;
    return caught;
  }

  const bool before_;
};
static_assert(!std::is_copy_constructible_v<CaughtHere>);

}  // namespace lh
