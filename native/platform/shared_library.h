// Shared libraries, and the one that this code is in.
#pragma once

#include <string>

namespace lh {

// Opens the library at `path` (UTF-8), with all that it needs, until the process ends. Null: `error` says why.
[[nodiscard]] void* open_library(const std::string& path, std::string& error);

// Null: `error` says why.
[[nodiscard]] void* find_symbol(void* library, const std::string& name, std::string& error);

// The library or program that has `code` serves the symbols that libraries opened later leave undefined. Node opens
// addons with local symbols. Windows binds each symbol to a library by name, and needs nothing of the kind.
void offer_symbols_of(const void* code);

// The library that has `code` stays in memory until the process ends.
void keep_library_of(const void* code);

}  // namespace lh
