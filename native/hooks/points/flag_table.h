// The flags of a hook by name. Generated from native/contract/flags.json by scripts/generate-contract.mjs; do not edit.
#pragma once

#include "llama_hooks/hooks.h"

namespace lh {

struct FlagInfo {
  uint32_t flag;
  const char* name;
};

inline constexpr FlagInfo kFlags[] = {
    {LH_HOOK_GUARD, "guard"},
    {LH_HOOK_FAIL_CLOSED, "fail_closed"},
    {LH_HOOK_OBSERVE, "observe"},
    {LH_HOOK_ORIGINAL_CONTEXT, "original_context"},
    {LH_HOOK_JSON_RESULT, "json_result"},
    {LH_HOOK_PARALLEL, "parallel"},
    {LH_HOOK_ONCE, "once"},
};

inline constexpr uint32_t kKnownFlags = 127;

}  // namespace lh
