// Failed assertions of llama.cpp and ggml, which end the process elsewhere, become exceptions where the engine catches
// these (CaughtHere). So a damaged model file of any architecture ends its load or its generation, not the process.
// Must not: apply to the assertions of a backend's kernels, whose other threads wait for each other at barriers.
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace lh {

class AssertionFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// From now on in the whole process. Not on Windows, whose compilers assume that no exception leaves a function of C.
void throw_failed_assertions();

// The use of one object of llama.cpp. After a failed assertion its state is unknown: it may be freed, not used.
class UntilAssertion {
 public:
  UntilAssertion() = default;
  UntilAssertion(const UntilAssertion&) = delete;
  UntilAssertion& operator=(const UntilAssertion&) = delete;

  // Throws AssertionFailed, also if one failed before.
  template <typename Use>
  auto run(Use&& use) {
    if (!failed_.empty()) throw AssertionFailed(failed_ + " (before; load the model anew)");
    try {
      return std::forward<Use>(use)();
    } catch (const AssertionFailed& failed) {
      failed_ = failed.what();
      throw;
    }
  }

 private:
  std::string failed_;
};
static_assert(!std::is_copy_constructible_v<UntilAssertion>);

}  // namespace lh
