// The only file that calls JavaScript: see js_call.h.
#include "js_call.h"

namespace lh::node {
namespace {

// Takes the pending exception; a null pointer if there is none.
napi_value take_exception(napi_env env) noexcept {
  bool pending = false;
  napi_value thrown = nullptr;
  if (napi_is_exception_pending(env, &pending) != napi_ok || !pending) return nullptr;
  if (napi_get_and_clear_last_exception(env, &thrown) != napi_ok) return nullptr;
  return thrown;
}

// Calls with `receiver` as `this`.
Called call_method(napi_env env, napi_value receiver, napi_value function,
                   std::initializer_list<napi_value> args) noexcept {
  napi_value result = nullptr;
  const napi_status status = napi_call_function(env, receiver, function, args.size(), args.begin(), &result);
  if (status == napi_ok) return {Called::How::kReturned, result};
  napi_value thrown = take_exception(env);
  return {thrown ? Called::How::kThrew : Called::How::kCannotRun, thrown};
}

}  // namespace

Called call_js(napi_env env, napi_value function, std::initializer_list<napi_value> args) noexcept {
  napi_value receiver = nullptr;
  if (napi_get_undefined(env, &receiver) != napi_ok) return {Called::How::kCannotRun, nullptr};
  return call_method(env, receiver, function, args);
}

void notify_js(napi_env env, napi_value function, std::initializer_list<napi_value> args) noexcept {
  const Called called = call_js(env, function, args);
  if (called.how == Called::How::kThrew) napi_fatal_exception(env, called.value);
}

void on_process_exit(Napi::Env env, Napi::Function listener) {
  const Napi::Object process = env.Global().Get("process").As<Napi::Object>();
  const Called called = call_method(env, process, process.Get("on"), {Napi::String::New(env, "exit"), listener});
  if (called.how == Called::How::kThrew) throw Napi::Error(env, called.value);
}

Napi::Value parse_json(Napi::Env env, const char* json) {
  const Napi::Value parse = env.Global().Get("JSON").As<Napi::Object>().Get("parse");
  const Called called = call_js(env, parse, {Napi::String::New(env, json)});
  return called.how == Called::How::kReturned ? Napi::Value(env, called.value) : Napi::Value();
}

std::string describe_thrown(napi_env env, napi_value thrown) noexcept {
  const char* const unknown = "a value that cannot be shown";
  napi_valuetype type = napi_undefined;
  napi_value shown = thrown;
  if (!thrown || napi_typeof(env, thrown, &type) != napi_ok) return unknown;
  if (type == napi_object) napi_get_named_property(env, thrown, "message", &shown);
  char text[512];
  size_t length = 0;
  // Getters and toString may be the user's, and may throw.
  const bool readable = !take_exception(env) && napi_coerce_to_string(env, shown, &shown) == napi_ok &&
                        napi_get_value_string_utf8(env, shown, text, sizeof text, &length) == napi_ok;
  take_exception(env);
  return readable ? std::string(text, length) : unknown;
}

}  // namespace lh::node
