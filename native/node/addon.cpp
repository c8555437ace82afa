// The module: its functions, its data for each environment, and its permanent place in memory.
// Must not: keep global state; everything belongs to an environment.
#include <napi.h>

#include <cstdint>
#include <cstdio>

#include "engine_wrap.h"
#include "env_data.h"
#include "js/convert.h"
#include "plain_dispatch.h"
#include "platform/shared_library.h"
#include "stream_wrap.h"
#include "task_wrap.h"

namespace lh::node {
namespace {

Napi::Value create_engine(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const std::string options = text_of(info[0], "options");
  const JsCallbacks callbacks{function_of(info[1], "onHookCall"),  function_of(info[2], "onToolCall"),
                              function_of(info[3], "onAbandoned"), function_of(info[4], "currentCall"),
                              function_of(info[5], "onReleased"),  function_of(info[6], "onWarning")};
  EnvData& data = EnvData::of(env);
  if (data.is_shut_down()) throw_status(env, LH_ERR_CLOSED, nullptr);
  lh_engine* engine = nullptr;
  LhText error;
  const lh_status status = lh_engine_create(options.c_str(), &engine, Out(error));
  check(env, status, error);
  const auto state = std::make_shared<EngineState>(data.js(), engine);
  data.add(env, state);
  return EngineWrap::create(env, state, callbacks);
}

Napi::Value alloc_balance(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(lh_alloc_balance()));
}

Napi::Value points_json(const Napi::CallbackInfo& info) { return Napi::String::New(info.Env(), lh_hook_points_json()); }

Napi::Value status_name(const Napi::CallbackInfo& info) {
  const auto status = static_cast<lh_status>(number_of(info[0], "status"));
  return Napi::String::New(info.Env(), lh_status_name(status));
}

// The log belongs to the process. The highest level to write is the sink's user data.
void write_to_stderr(int32_t level, const char* message, void* user_data) {
  static constexpr const char* kNames[] = {"", "error", "warn", "info", "debug"};
  if (level < 1 || level > static_cast<int32_t>(reinterpret_cast<intptr_t>(user_data))) return;
  std::fprintf(stderr, "llama-hooks %s: %s\n", kNames[level < 4 ? level : 4], message);
}

Napi::Value log_to_stderr(const Napi::CallbackInfo& info) {
  const auto highest = static_cast<intptr_t>(number_of(info[0], "level"));
  lh_log_set(highest > 0 ? write_to_stderr : nullptr, reinterpret_cast<void*>(highest));
  return info.Env().Undefined();
}

// Node closes the library with the last worker that loaded it, while hook libraries and exit handlers still point into
// it.
void pin_module() { keep_library_of(reinterpret_cast<const void*>(&pin_module)); }

Napi::Object init(Napi::Env env, Napi::Object exports) {
  pin_module();
  lh_names_set(1);
  // The environment owns the data from the start: the calls below throw in a worker that is being terminated, and the
  // cleanup hook that the data registered still runs.
  EnvData* const data = std::make_unique<EnvData>(env).release();
  env.SetInstanceData(data);
  data->engine_class = Napi::Persistent(EngineWrap::define(env));
  data->task_class = Napi::Persistent(TaskWrap::define(env));
  data->stream_class = Napi::Persistent(StreamWrap::define(env));
  exports.Set("createEngine", Napi::Function::New<create_engine>(env, "createEngine"));
  exports.Set("allocBalance", Napi::Function::New<alloc_balance>(env, "allocBalance"));
  exports.Set("dispatchPlainly", Napi::Function::New<dispatch_plainly>(env, "dispatchPlainly"));
  exports.Set("pointsJson", Napi::Function::New<points_json>(env, "pointsJson"));
  exports.Set("logToStderr", Napi::Function::New<log_to_stderr>(env, "logToStderr"));
  exports.Set("statusName", Napi::Function::New<status_name>(env, "statusName"));
  return exports;
}

}  // namespace

NODE_API_MODULE(llama_hooks, init)

}  // namespace lh::node
