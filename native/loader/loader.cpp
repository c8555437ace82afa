// An addon that opens shared libraries by path, so that the system's loader finds them, by their names, when the main
// addon needs them. A RUNPATH alone fails where packages are nested, linked or bundled.
#include <node_api.h>

#include <exception>
#include <string>

#include "platform/shared_library.h"

namespace {

bool text_of(napi_env env, napi_value value, std::string& text) {
  size_t length = 0;
  if (napi_get_value_string_utf8(env, value, nullptr, 0, &length) != napi_ok) return false;
  text.resize(length);
  return napi_get_value_string_utf8(env, value, text.data(), length + 1, &length) == napi_ok;
}

// open(path): throws an Error with the system loader's message. An opened library stays open.
napi_value open_library(napi_env env, napi_callback_info info) {
  napi_value path_value = nullptr;
  size_t count = 1;
  try {
    std::string path;
    std::string error;
    if (napi_get_cb_info(env, info, &count, &path_value, nullptr, nullptr) != napi_ok || count != 1 ||
        !text_of(env, path_value, path)) {
      napi_throw_type_error(env, nullptr, "open() takes the path of a library");
    } else if (lh::open_library(path, error) == nullptr) {
      napi_throw_error(env, nullptr, error.c_str());
    }
  } catch (const std::exception&) {
    napi_throw_error(env, nullptr, "out of memory");
  }
  return nullptr;
}

}  // namespace

NAPI_MODULE_INIT() {
  napi_value open = nullptr;
  if (napi_create_function(env, "open", NAPI_AUTO_LENGTH, open_library, nullptr, &open) != napi_ok ||
      napi_set_named_property(env, exports, "open", open) != napi_ok) {
    napi_throw_error(env, nullptr, "the loader could not be set up");
  }
  return exports;
}
