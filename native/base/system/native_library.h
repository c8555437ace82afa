// Functions of shared libraries that hold native hooks. Libraries stay open until the process ends.
// Must not: close a library, or call what it finds.
#pragma once

#include <string>

#include "base/status.h"

namespace lh {

// The address of `symbol` in the library at `path`; opened if it is not. Any thread.
// Errors: LIBRARY_NOT_LOADED, SYMBOL_NOT_FOUND, with the loader's own words.
Result<void*> find_in_library(const std::string& path, const std::string& symbol);

}  // namespace lh
