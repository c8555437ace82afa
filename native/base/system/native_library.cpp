#include "base/system/native_library.h"

#include <filesystem>
#include <mutex>

#include "base/text/path.h"
#include "llama_hooks/hooks.h"
#include "platform/shared_library.h"

namespace lh {

Result<void*> find_in_library(const std::string& path, const std::string& symbol) {
  // A library written for Entropic leaves entropic_alloc undefined and expects the process to define it. In a program
  // that contains this code, its symbols are offered already (if it was linked with -rdynamic).
  static std::once_flag once;
  std::call_once(once, [] { offer_symbols_of(reinterpret_cast<const void*>(&lh_alloc)); });
  std::error_code unknown;  // the system looks for a name without a folder elsewhere, too
  const auto kind = std::filesystem::status(to_path(path), unknown);
  if (std::filesystem::exists(kind) && !std::filesystem::is_regular_file(kind)) {  // to open a pipe would wait
    return Status(Code::kLibraryNotLoaded, "cannot open the hook library \"" + path + "\": it is no regular file");
  }
  std::string error;
  void* library = open_library(path, error);
  if (library == nullptr) {
    return Status(Code::kLibraryNotLoaded, "cannot open the hook library \"" + path + "\": " + error);
  }
  void* address = find_symbol(library, symbol, error);
  if (address == nullptr) {
    return Status(Code::kSymbolNotFound,
                  "the hook library \"" + path + "\" has no function \"" + symbol + "\": " + error);
  }
  return address;
}

}  // namespace lh
