#include "base/system/native_library.h"

#if !defined(_WIN32)
#include <dlfcn.h>

#include <mutex>

#include "llama_hooks/hooks.h"
#endif

namespace lh {

#if defined(_WIN32)

Result<void*> find_in_library(const std::string& path, const std::string&) {
  return Status(Code::kLibraryNotLoaded, path + ": native hook libraries are not supported on this platform");
}

#else

namespace {

// A library written for Entropic leaves entropic_alloc undefined and expects the process to define it. Node opens
// addons with local symbols, so the addon's symbols are made global before the first such library is opened. In a
// program that contains this code, the symbols are already global (if it was linked with -rdynamic).
void make_own_symbols_global() {
  static std::once_flag once;
  std::call_once(once, [] {
    Dl_info own{};
    if (dladdr(reinterpret_cast<const void*>(&lh_alloc), &own) != 0) {
      dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    }
    dlerror();  // ignore a failure: opening the library reports missing symbols
  });
}

std::string loader_error() {
  const char* words = dlerror();
  return words == nullptr ? "no reason given" : words;
}

}  // namespace

Result<void*> find_in_library(const std::string& path, const std::string& symbol) {
  make_own_symbols_global();
  // Without a slash the loader would search its own folders instead of reading `path` as a path.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  // RTLD_NOW: a missing symbol is an error here, instead of ending the process at the first call.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Status(Code::kLibraryNotLoaded, "cannot open the hook library \"" + path + "\": " + loader_error());
  }
  void* address = dlsym(library, symbol.c_str());
  if (address == nullptr) {
    return Status(Code::kSymbolNotFound,
                  "the hook library \"" + path + "\" has no function \"" + symbol + "\": " + loader_error());
  }
  return address;
}

#endif

}  // namespace lh
