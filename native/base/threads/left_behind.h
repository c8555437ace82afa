// Counts the work of this process that was left behind: threads that did not return in time, and that no thread waits
// for any more. The end of the process must not destroy what they use.
#pragma once

#include <atomic>
#include <type_traits>

namespace lh {

class LeftBehind {
 public:
  LeftBehind() noexcept { ++count_; }
  ~LeftBehind() { --count_; }
  LeftBehind(const LeftBehind&) = delete;
  LeftBehind& operator=(const LeftBehind&) = delete;

  [[nodiscard]] static int count() noexcept { return count_.load(); }

 private:
  static inline std::atomic<int> count_{0};
};
static_assert(!std::is_copy_constructible_v<LeftBehind>);

}  // namespace lh
