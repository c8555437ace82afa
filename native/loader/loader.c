// An addon that opens shared libraries by path, so that the system's loader finds them, by their soname, when the main
// addon needs them. A RUNPATH alone fails where packages are nested, linked or bundled.
#include <dlfcn.h>
#include <node_api.h>
#include <stdlib.h>

// open(path): throws an Error with the system loader's message. An opened library stays open.
static napi_value open_library(napi_env env, napi_callback_info info) {
  napi_value path_value = NULL;
  size_t count = 1;
  size_t length = 0;
  if (napi_get_cb_info(env, info, &count, &path_value, NULL, NULL) != napi_ok || count != 1 ||
      napi_get_value_string_utf8(env, path_value, NULL, 0, &length) != napi_ok) {
    napi_throw_type_error(env, NULL, "open() takes the path of a library");
    return NULL;
  }
  char* const path = malloc(length + 1);
  if (path == NULL) {
    napi_throw_error(env, NULL, "out of memory");
    return NULL;
  }
  if (napi_get_value_string_utf8(env, path_value, path, length + 1, &length) == napi_ok &&
      dlopen(path, RTLD_NOW | RTLD_LOCAL) == NULL) {
    napi_throw_error(env, NULL, dlerror());
  }
  free(path);
  return NULL;
}

NAPI_MODULE_INIT() {
  napi_value open = NULL;
  if (napi_create_function(env, "open", NAPI_AUTO_LENGTH, open_library, NULL, &open) != napi_ok ||
      napi_set_named_property(env, exports, "open", open) != napi_ok) {
    napi_throw_error(env, NULL, "the loader could not be set up");
  }
  return exports;
}
