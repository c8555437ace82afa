// What an engine and the program that it starts must agree on before the first frame.
#pragma once

namespace lh {

// The socket's number in the child.
inline constexpr int kHostSocket = 3;
// The exit code of a program that another build's engine has started.
inline constexpr int kWrongVersion = 64;
// The only argument. Both are compiled in one build; the number of the frames' form, then the place of that build.
inline constexpr const char* kHostVersion = "frames-1 " LH_BUILD_ID;

}  // namespace lh
