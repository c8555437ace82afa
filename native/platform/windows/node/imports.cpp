// The functions of Node-API, taken from the program that has loaded this library. An import library would name
// node.exe, and the program is another one in Electron, Bun and Deno; a delay-load hook, which mends that, is MSVC's
// alone.
#include <cstdio>
#include <cstdlib>

#include "platform/windows/system.h"

// The compiler turns a call of f that is `__declspec(dllimport)` into a call of the function that __imp_f points to.
#define LH_NODE_FUNCTION(name)                                                         \
  namespace {                                                                          \
  [[noreturn]] void lack_of_##name() {                                                 \
    std::fputs("llama-hooks: this program has no " #name ", of Node-API 8\n", stderr); \
    std::abort();                                                                      \
  }                                                                                    \
  }                                                                                    \
  extern "C" void* __imp_##name;                                                       \
  void* __imp_##name = reinterpret_cast<void*>(&lack_of_##name);
#include "node_functions.h"
#undef LH_NODE_FUNCTION

namespace {

FARPROC function_of_program(const char* name) {
  if (const FARPROC own = GetProcAddress(GetModuleHandleW(nullptr), name); own != nullptr) return own;
  const HMODULE library = GetModuleHandleW(L"libnode.dll");  // of a Node that was built as one
  return library == nullptr ? nullptr : GetProcAddress(library, name);
}

const bool kFound = [] {
#define LH_NODE_FUNCTION(name) \
  if (const FARPROC found = function_of_program(#name); found != nullptr) __imp_##name = reinterpret_cast<void*>(found);
#include "node_functions.h"
#undef LH_NODE_FUNCTION
  return true;
}();

}  // namespace
