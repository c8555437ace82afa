// Reads a structure that a C caller filled, whose header may be older or newer than ours (convention 5 of hooks.h).
// Must not: read a byte past its struct_size.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/status.h"

namespace lh {

// Returns `given`, with the members it lacks taken from `defaults`. Errors: INVALID_ARGUMENT, with the structure's name
// `what`, if struct_size is not set, or if a member that this library does not know is set.
template <typename Struct>
Result<Struct> read_struct(const Struct& given, Struct defaults, std::string_view what) {
  static_assert(std::is_trivially_copyable_v<Struct> && offsetof(Struct, struct_size) == 0);
  const size_t size = given.struct_size;
  const auto refuse = [&](std::string_view why) {
    return Status(Code::kInvalidArgument,
                  std::string(what) + ": struct_size is " + std::to_string(size) + std::string(why));
  };
  if (size < sizeof size) return refuse(", which is too small: initialise the structure with its _INIT macro");
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  if (size > sizeof given &&
      std::any_of(bytes + sizeof given, bytes + size, [](unsigned char byte) { return byte != 0; })) {
    return refuse(", but this library knows only " + std::to_string(sizeof given) +
                  " bytes and cannot read the members behind them: set these to zero");
  }
  std::memcpy(&defaults, &given, std::min(size, sizeof given));
  defaults.struct_size = sizeof defaults;
  return defaults;
}

}  // namespace lh
