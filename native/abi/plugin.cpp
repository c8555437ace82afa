#include "abi/plugin.h"

#include <exception>
#include <string>

#include "base/system/native_library.h"

namespace lh::abi {
namespace {

// The functions that a plug-in gets, valid for the life of the process.
constexpr lh_host kHost = {
    sizeof(lh_host),   LH_ABI_VERSION,   0,
    lh_status_name,    lh_alloc,         lh_free,
    lh_strdup,         lh_hook_add,      lh_hook_remove,
    lh_hook_retire,    lh_hook_clear,    lh_hook_has,
    lh_hook_list,      lh_hook_dispatch, lh_hook_points_json,
    lh_call_fail,      lh_call_pass,     lh_call_cancelled,
    lh_call_on_cancel, lh_call_id,       lh_call_enter,
    lh_call_leave,     lh_call_defer,    lh_pending_finish,
    lh_pending_pass,   lh_pending_fail,  lh_pending_queue,
    lh_pending_begin,
};

struct Entry {
  std::string name;
  void* address = nullptr;

  [[nodiscard]] lh_status call(lh_registry* registry) const {
    if (name == "lh_plugin_init") return reinterpret_cast<lh_plugin_init_fn>(address)(&kHost, registry);
    return reinterpret_cast<lh_plugin_register_fn>(address)(registry);
  }
};

Result<Entry> find_entry(const char* path) {
  const Result<void*> init = find_in_library(path, "lh_plugin_init");
  if (init.ok()) return Entry{"lh_plugin_init", *init};
  if (init.status().code() != Code::kSymbolNotFound) return init.status();
  const Result<void*> older = find_in_library(path, "lh_plugin_register");
  if (older.ok()) return Entry{"lh_plugin_register", *older};
  return Status(Code::kSymbolNotFound,
                "the hook library \"" + std::string(path) + "\" has neither lh_plugin_init nor lh_plugin_register");
}

}  // namespace

Status register_plugin(lh_registry* registry, const char* path) {
  const Result<Entry> entry = find_entry(path);
  if (!entry.ok()) return entry.status();
  const std::string place = entry->name + " of \"" + path + "\" ";
  lh_status status = LH_OK;
  try {
    status = entry->call(registry);
  } catch (const std::exception& error) {
    return {Code::kHookFailed, place + "threw an exception: " + error.what()};
  } catch (...) {
    return {Code::kHookFailed, place + "threw something that is not a std::exception"};
  }
  if (status == LH_OK) return {};
  const std::string name = lh_status_name(status);
  return {name == "UNKNOWN" ? Code::kHookFailed : static_cast<Code>(status),
          place + "returned " + std::to_string(status) + " (" + name + ")"};
}

}  // namespace lh::abi
