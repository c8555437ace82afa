// One dispatch to JavaScript functions: see plain_dispatch.h.
#include "plain_dispatch.h"

#include <cstdint>
#include <deque>
#include <memory>

#include "hook_bridge.h"
#include "js/convert.h"
#include "js/js_call.h"
#include "js_callback.h"

namespace lh::node {
namespace {

struct FreeRegistry {
  void operator()(lh_registry* registry) const { lh_registry_free(registry); }
};

// A hook, for the duration of the dispatch.
struct PlainHook {
  napi_env env;
  napi_value call;
  uint32_t index;
};

int on_plain_hook(int32_t, const char* context_json, char** modified_json, void* user_data) {
  const auto& hook = *static_cast<PlainHook*>(user_data);
  const Napi::Env env(hook.env);
  const Napi::HandleScope scope(env);
  const Called called =
      call_js(env, hook.call,
              {Napi::Number::New(env, hook.index), Napi::Number::New(env, static_cast<double>(lh_call_id())),
               Napi::String::New(env, context_json)});
  return hand_over_at_once(env, called, modified_json);
}

}  // namespace

Napi::Value dispatch_plainly(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto point = static_cast<lh_hook_point>(number_of(info[0], "point"));
  if (!info[1].IsArray()) throw Napi::TypeError::New(env, "hooks must be an array");
  const Napi::Array given = info[1].As<Napi::Array>();
  const std::string context = text_of(info[2], "context");
  const Napi::Function call = function_of(info[3], "call");

  lh_registry* raw = nullptr;
  check(env, lh_registry_create(&raw));
  const std::unique_ptr<lh_registry, FreeRegistry> registry(raw);
  // The result has the failures.
  check(env, lh_registry_warnings(
                 registry.get(), [](const char*, void*) {}, nullptr));
  std::deque<PlainHook> hooks;
  for (uint32_t i = 0; i < given.Length(); ++i) {
    const HookOptions options = HookOptions::of(given.Get(i));
    const lh_hook_options c = options.to_c();
    uint64_t id = 0;
    LhText error;
    hooks.push_back({env, call, i});
    check(env, lh_hook_add(registry.get(), point, &on_plain_hook, &hooks.back(), &c, &id, Out(error)), error);
  }
  LhText result;
  LhText error;
  const lh_status status = lh_hook_dispatch(registry.get(), point, context.c_str(), Out(result), Out(error));
  check(env, status, error);
  return Napi::String::New(env, result.get());
}

}  // namespace lh::node
