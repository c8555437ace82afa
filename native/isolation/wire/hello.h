// An engine and the program that it starts agree on this before the first frame.
#pragma once

namespace lh {

// The exit code of a program that another build's engine has started.
inline constexpr int kWrongVersion = 64;
// The first argument, before the socket: the form of the frames, then the versions of the package and of llama.cpp.
// Both ends are of one build, so their structures have one layout.
inline constexpr const char* kHostVersion = "frames-1 " LH_BUILD_ID;

// The argument in place of the version, by which the TypeScript package makes the program serve RPC, with the options
// in the next argument.
inline constexpr const char* kRpcServer = "rpc-server";

}  // namespace lh
