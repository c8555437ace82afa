// The boundary between the C++ engine and a C caller: no exception passes, and a Status becomes an lh_status.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "base/caught.h"
#include "base/json/json.h"
#include "base/status.h"
#include "base/text/printable.h"
#include "base/threads/caught_here.h"
#include "hooks/calls/allocator.h"
#include "llama_hooks/hooks.h"

namespace lh::abi {

// Writes `json` to `*out`, in a block of lh_alloc. Errors: INSUFFICIENT_MEMORY.
inline Status hand_out(std::string_view json, char** out) {
  char* block = copy_to_block(json);
  if (block == nullptr) return {Code::kInsufficientMemory, "out of memory"};
  *out = block;
  return {};
}

// `error_json` may be null.
inline lh_status finish(const Status& status, char** error_json) noexcept {
  if (status.ok() || error_json == nullptr) return static_cast<lh_status>(status.code());
  try {
    const Json error = {{"code", code_name(status.code())}, {"message", printable(status.message())}};
    *error_json = copy_to_block(dump_json(error));
  } catch (const std::exception&) {
    *error_json = nullptr;
  }
  return static_cast<lh_status>(status.code());
}

// Called in a catch block.
inline lh_status finish_caught(char** error_json) noexcept {
  try {
    return finish(caught(), error_json);
  } catch (...) {  // this text needs no memory except its block
    static constexpr char kNoMemory[] = R"({"code":"INSUFFICIENT_MEMORY","message":"out of memory"})";
    if (error_json != nullptr) *error_json = copy_to_block(kNoMemory);
    return LH_ERR_INSUFFICIENT_MEMORY;
  }
}

// Runs `body`, which returns a Status.
template <typename Body>
lh_status guard(char** error_json, Body&& body) noexcept {
  const CaughtHere caught_here;
  try {
    return finish(std::forward<Body>(body)(), error_json);
  } catch (...) {
    return finish_caught(error_json);
  }
}

// The error for a null pointer where the function needs a value.
inline Status missing(std::string_view what) { return {Code::kInvalidArgument, std::string(what) + ": is NULL"}; }

}  // namespace lh::abi
