#include "platform/shared_library.h"

#include <dlfcn.h>

namespace lh {
namespace {

std::string loader_error() {
  const char* words = dlerror();
  return words == nullptr ? "no reason given" : words;
}

void open_again(const void* code, int mode) {
  Dl_info own{};
  if (dladdr(code, &own) != 0 && own.dli_fname != nullptr) dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | mode);
  dlerror();  // clears a failure, so that the next error belongs to the next call
}

}  // namespace

void* open_library(const std::string& path, std::string& error) {
  // Without a slash the loader would search its standard folders instead of reading `path` as a path.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  // RTLD_NOW: a missing symbol is an error here, instead of ending the process at the first call.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) error = loader_error();
  return library;
}

void* find_symbol(void* library, const std::string& name, std::string& error) {
  void* address = dlsym(library, name.c_str());
  if (address == nullptr) error = loader_error();
  return address;
}

void offer_symbols_of(const void* code) { open_again(code, RTLD_GLOBAL); }

void keep_library_of(const void* code) { open_again(code, RTLD_NODELETE); }

}  // namespace lh
