// Numbers of open files.
#pragma once

#include <system_error>

namespace lh {

// The number of the socket in a child, after stdin, stdout and stderr.
inline constexpr int kChildSocket = 3;

// Returns the same open file under a number other than stdin, stdout, stderr and kChildSocket, which no program
// inherits. Closes the old number. Negative: no number is left, or `descriptor` was negative.
[[nodiscard]] int above_standard(int descriptor);

[[nodiscard]] inline std::error_code posix_error(int number) { return {number, std::generic_category()}; }

}  // namespace lh
