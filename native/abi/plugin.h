// Hook libraries with an entry of their own. Must not: keep anything of one.
#pragma once

#include "base/status.h"
#include "llama_hooks/hooks.h"

namespace lh::abi {

// Opens the library and has its entry (lh_plugin_init, else lh_plugin_register) add hooks to `registry`.
// Errors: LIBRARY_NOT_LOADED, SYMBOL_NOT_FOUND, HOOK_FAILED when the entry throws, and what the entry returns.
Status register_plugin(lh_registry* registry, const char* path);

}  // namespace lh::abi
