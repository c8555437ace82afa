// An engine and the program that it starts agree on this before the first frame.
#pragma once

namespace lh {

// The exit code of a program that another build's engine has started.
inline constexpr int kWrongVersion = 64;
// The first argument, before the socket: the form of the frames, then the versions of the package and of llama.cpp.
// Both ends are of one build, so their structures have one layout.
inline constexpr const char* kHostVersion = "frames-1 " LH_BUILD_ID;

// In place of it: the program serves RPC, by the options in the next argument. The facade starts it so.
inline constexpr const char* kRpcServer = "rpc-server";

}  // namespace lh
