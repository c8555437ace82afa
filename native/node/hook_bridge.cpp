// Hooks that are JavaScript functions: see hook_bridge.h.
#include "hook_bridge.h"

#include "js_callback.h"

namespace lh::node {
namespace {

int on_hook(int32_t, const char* context_json, char** modified_json, void* user_data) {
  return ask_js(*static_cast<CallbackRef*>(user_data), context_json, modified_json);
}

void on_release(void* user_data) {
  const std::unique_ptr<CallbackRef> callback(static_cast<CallbackRef*>(user_data));
  tell_released(*callback);
}

}  // namespace

HookOptions HookOptions::of(const Napi::Value& value) {
  if (!value.IsObject()) throw Napi::TypeError::New(value.Env(), "options must be an object");
  const Napi::Object fields = value.As<Napi::Object>();
  HookOptions options;
  options.name = text_of(fields.Get("name"), "name");
  options.priority = static_cast<int32_t>(number_of(fields.Get("priority"), "priority"));
  options.deadline_ms = static_cast<int64_t>(number_of(fields.Get("deadlineMs"), "deadlineMs"));
  options.flags = static_cast<uint32_t>(number_of(fields.Get("flags"), "flags"));
  options.when = optional_text_of(fields.Get("when"), "when");
  options.location = optional_text_of(fields.Get("location"), "location");
  options.fields = optional_text_of(fields.Get("fields"), "fields");
  options.told = fields.Get("told").ToBoolean();
  return options;
}

lh_hook_options HookOptions::to_c() const {
  lh_hook_options c = LH_HOOK_OPTIONS_INIT;
  c.name = name.empty() ? nullptr : name.c_str();
  c.priority = priority;
  c.deadline_ms = deadline_ms;
  c.flags = flags;
  c.when = c_str(when);
  c.location = c_str(location);
  c.fields = c_str(fields);
  return c;
}

uint64_t add_hook(Napi::Env env, const std::shared_ptr<EngineState>& engine, lh_registry* registry, lh_hook_point point,
                  const HookOptions& options) {
  auto callback = std::make_shared<JsCallback>();
  callback->engine = engine;
  if (options.told) callback->kind = JsCallback::Kind::kTold;
  if ((options.flags & LH_HOOK_OBSERVE) != 0) callback->kind = JsCallback::Kind::kObserver;
  lh_hook_options c = options.to_c();
  c.release = &on_release;
  // Owned by the registry from here on: another thread may remove the hook before lh_hook_add returns.
  auto* user_data = new CallbackRef(callback);
  LhText error;
  const lh_status status = lh_hook_add(registry, point, &on_hook, user_data, &c, &callback->id, Out(error));
  if (status != LH_OK) delete user_data;
  check(env, status, error);
  return callback->id;
}

}  // namespace lh::node
