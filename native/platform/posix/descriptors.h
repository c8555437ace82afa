// Numbers of open files.
#pragma once

#include <system_error>

namespace lh {

// The number of the socket in a child, after stdin, stdout and stderr.
inline constexpr int kChildSocket = 3;

// The same open file under a number that is none of stdin, stdout, stderr and kChildSocket, and that no program
// inherits. Closes the old number. Negative: there is none left, or `descriptor` was negative.
[[nodiscard]] int above_standard(int descriptor);

[[nodiscard]] inline std::error_code posix_error(int number) { return {number, std::generic_category()}; }

}  // namespace lh
