#include "platform/shared_library.h"

#include "platform/windows/system.h"

namespace lh {
void* open_library(const std::string& path, std::string& error) {
  const std::wstring whole = wide_path(path);
  // Only an absolute path lets the loader search the library's folder for its dependencies.
  const DWORD length = GetFullPathNameW(whole.c_str(), 0, nullptr, nullptr);
  std::wstring absolute(length, L'\0');
  absolute.resize(GetFullPathNameW(whole.c_str(), length, absolute.data(), nullptr));
  constexpr DWORD kSearch = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
  HMODULE library = LoadLibraryExW(absolute.c_str(), nullptr, kSearch);
  if (library == nullptr) error = last_error().message();
  return library;
}

void* find_symbol(void* library, const std::string& name, std::string& error) {
  const FARPROC address = GetProcAddress(static_cast<HMODULE>(library), name.c_str());
  if (address == nullptr) error = last_error().message();
  return reinterpret_cast<void*>(address);
}

void offer_symbols_of(const void*) {}

void keep_library_of(const void* code) {
  HMODULE own = nullptr;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                     reinterpret_cast<LPCWSTR>(code), &own);
}

}  // namespace lh
