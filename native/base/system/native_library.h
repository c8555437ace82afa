// Finds functions in shared libraries of native hooks. Libraries stay open until the process ends: their code may still
// be on a stack.
#pragma once

#include <string>

#include "base/status.h"

namespace lh {

// The address of `symbol` in the library at `path`, which is opened if necessary. Any thread. Errors:
// LIBRARY_NOT_LOADED, SYMBOL_NOT_FOUND, with the loader's message.
Result<void*> find_in_library(const std::string& path, const std::string& symbol);

}  // namespace lh
