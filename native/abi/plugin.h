// Loads hook libraries that have an entry function.
#pragma once

#include "base/status.h"
#include "llama_hooks/hooks.h"

namespace lh::abi {

// Opens the library and lets its entry (lh_plugin_init, else lh_plugin_register) add hooks to `registry`. Errors:
// LIBRARY_NOT_LOADED, SYMBOL_NOT_FOUND, HOOK_FAILED if the entry throws, and the error that the entry returns.
Status register_plugin(lh_registry* registry, const char* path);

}  // namespace lh::abi
