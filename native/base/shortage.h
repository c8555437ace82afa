// Notices that an allocation has failed on this thread, also if third-party code catches the std::bad_alloc and
// continues with a wrong result.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/status.h"

namespace lh {

class Shortage {
 public:
  // Begins to notice, in the whole process: installs a std::new_handler, which calls the one that was there.
  static void watch();

  Shortage() noexcept : before_(failures()) {}
  Shortage(const Shortage&) = delete;
  Shortage& operator=(const Shortage&) = delete;

  // True if an allocation has failed on this thread since this object was made.
  [[nodiscard]] bool seen() const noexcept { return failures() != before_; }
  // kInsufficientMemory if one has.
  [[nodiscard]] Status status() const { return seen() ? Status(Code::kInsufficientMemory, "out of memory") : Status(); }
  // True if an allocation has ever failed on this thread.
  [[nodiscard]] static bool ever() noexcept { return failures() != 0; }

 private:
  static uint64_t failures() noexcept;
  const uint64_t before_;
};
static_assert(!std::is_copy_constructible_v<Shortage>);

}  // namespace lh
