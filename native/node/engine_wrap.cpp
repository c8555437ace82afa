// NativeEngine: construction, hooks and trace. Models and generation are in engine_wrap_models.cpp.
#include "engine_wrap.h"

#include "env_data.h"
#include "hook_bridge.h"
#include "js/js_call.h"
#include "js_callback.h"

namespace lh::node {
namespace {

constexpr napi_type_tag kEngineTag = {0x8a1f5b0c3d2e4971, 0x9b64c1e07f8d2a35};

}  // namespace

Napi::Function EngineWrap::define(Napi::Env env) {
  return DefineClass(env, "NativeEngine",
                     {
                         InstanceMethod<&EngineWrap::open_hooks>("openHooks"),
                         InstanceMethod<&EngineWrap::session_hooks>("sessionHooks"),
                         InstanceMethod<&EngineWrap::free_hooks>("freeHooks"),
                         InstanceMethod<&EngineWrap::add_hook>("addHook"),
                         InstanceMethod<&EngineWrap::add_native_hook>("addNativeHook"),
                         InstanceMethod<&EngineWrap::remove_hook>("removeHook"),
                         InstanceMethod<&EngineWrap::clear_hooks>("clearHooks"),
                         InstanceMethod<&EngineWrap::has_hook>("hasHook"),
                         InstanceMethod<&EngineWrap::list_hooks>("listHooks"),
                         InstanceMethod<&EngineWrap::answer_hook>("answerHook"),
                         InstanceMethod<&EngineWrap::give_directive>("giveDirective"),
                         InstanceMethod<&EngineWrap::tell_progress>("tellProgress"),
                         InstanceMethod<&EngineWrap::report_from_tool>("reportFromTool"),
                         InstanceMethod<&EngineWrap::elicit>("elicit"),
                         InstanceMethod<&EngineWrap::load_model>("loadModel"),
                         InstanceMethod<&EngineWrap::serve_models>("serveModels"),
                         InstanceMethod<&EngineWrap::add_model>("addModel"),
                         InstanceMethod<&EngineWrap::estimate_model>("estimateModel"),
                         InstanceMethod<&EngineWrap::unload_model>("unloadModel"),
                         InstanceMethod<&EngineWrap::list_models>("listModels"),
                         InstanceMethod<&EngineWrap::describe_model>("describeModel"),
                         InstanceMethod<&EngineWrap::embed>("embed"),
                         InstanceMethod<&EngineWrap::rerank>("rerank"),
                         InstanceMethod<&EngineWrap::tokenize>("tokenize"),
                         InstanceMethod<&EngineWrap::tokenize_start>("tokenizeStart"),
                         InstanceMethod<&EngineWrap::detokenize>("detokenize"),
                         InstanceMethod<&EngineWrap::render_prompt>("renderPrompt"),
                         InstanceMethod<&EngineWrap::load_adapter>("loadAdapter"),
                         InstanceMethod<&EngineWrap::unload_adapter>("unloadAdapter"),
                         InstanceMethod<&EngineWrap::list_adapters>("listAdapters"),
                         InstanceMethod<&EngineWrap::swap_adapters>("swapAdapters"),
                         InstanceMethod<&EngineWrap::generate>("generate"),
                         InstanceMethod<&EngineWrap::open_session>("openSession"),
                         InstanceMethod<&EngineWrap::run_session>("runSession"),
                         InstanceMethod<&EngineWrap::session_history>("sessionHistory"),
                         InstanceMethod<&EngineWrap::session_waiting>("sessionWaiting"),
                         InstanceMethod<&EngineWrap::queue_message>("queueMessage"),
                         InstanceMethod<&EngineWrap::set_session_tools>("setSessionTools"),
                         InstanceMethod<&EngineWrap::set_session_tiers>("setSessionTiers"),
                         InstanceMethod<&EngineWrap::pause_session>("pauseSession"),
                         InstanceMethod<&EngineWrap::compact_session>("compactSession"),
                         InstanceMethod<&EngineWrap::save_session>("saveSession"),
                         InstanceMethod<&EngineWrap::session_record>("sessionRecord"),
                         InstanceMethod<&EngineWrap::report_session>("reportSession"),
                         InstanceMethod<&EngineWrap::fork_session>("forkSession"),
                         InstanceMethod<&EngineWrap::rewind_session>("rewindSession"),
                         InstanceMethod<&EngineWrap::close_session>("closeSession"),
                         InstanceMethod<&EngineWrap::memory>("memory"),
                         InstanceMethod<&EngineWrap::system_info>("systemInfo"),
                         InstanceMethod<&EngineWrap::trace>("trace"),
                         InstanceMethod<&EngineWrap::drain_trace>("drainTrace"),
                         InstanceMethod<&EngineWrap::close>("close"),
                     });
}

EngineWrap::EngineWrap(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  // JavaScript can reach this as engine.constructor, but only create() has an External to pass.
  if (!info[0].IsExternal()) throw Napi::TypeError::New(info.Env(), "NativeEngine is made by createEngine");
  info.This().As<Napi::Object>().TypeTag(&kEngineTag);
  state_ = *info[0].As<Napi::External<std::shared_ptr<EngineState>>>().Data();
  on_hook_call_ = hold("onHookCall", info[1].As<Napi::Function>());
  on_tool_call_ = hold("onToolCall", info[2].As<Napi::Function>());
  on_abandoned_ = hold("onAbandoned", info[3].As<Napi::Function>());
  current_call_ = hold("currentCall", info[4].As<Napi::Function>());
  on_released_ = hold("onReleased", info[5].As<Napi::Function>());
  on_warning_ = hold("onWarning", info[6].As<Napi::Function>());
  state_->object = this;
  // The receiver stays until the engine is freed, so that no warning goes to stderr. The state outlives the engine.
  check(info.Env(), lh_registry_warnings(lh_engine_hooks(state_->engine()), &EngineWrap::pass_warning, state_.get()));
}

EngineWrap::~EngineWrap() {
  if (!state_) return;
  state_->object = nullptr;
  if (!state_->engine()) return;  // freed with its environment, whose data may be gone
  EnvData::of(Env()).retire(state_);
}

Napi::Object EngineWrap::create(Napi::Env env, std::shared_ptr<EngineState> state, const JsCallbacks& callbacks) {
  const auto external = Napi::External<std::shared_ptr<EngineState>>::New(env, &state);
  return EnvData::of(env).engine_class.New({external, callbacks.on_hook_call, callbacks.on_tool_call,
                                            callbacks.on_abandoned, callbacks.current_call, callbacks.on_released,
                                            callbacks.on_warning});
}

Napi::FunctionReference EngineWrap::hold(const char* name, Napi::Function function) {
  const auto attributes = static_cast<napi_property_attributes>(napi_writable | napi_configurable);
  Value().DefineProperty(Napi::PropertyDescriptor::Value(name, function, attributes));
  return Napi::Weak(function);
}

uint64_t EngineWrap::current_call(Napi::Env env) const {
  const Called called = call_js(env, current_call_.Value(), {});
  if (called.how != Called::How::kReturned) return 0;
  return static_cast<uint64_t>(number_of(Napi::Value(env, called.value), "the current call"));
}

lh_engine* EngineWrap::engine(Info info) const {
  if (!state_->engine()) throw_status(info.Env(), LH_ERR_CLOSED, nullptr);
  return state_->engine();
}

lh_registry* EngineWrap::hooks(Info info) const { return lh_engine_hooks(engine(info)); }

lh_registry* EngineWrap::hooks(Info info, const Napi::Value& scope) const {
  const auto number = static_cast<uint32_t>(number_of(scope, "scope"));
  if (number == 0) return hooks(info);
  lh_registry* const found = engine(info) ? state_->hooks(number) : nullptr;
  if (!found)
    throw_status(info.Env(), LH_ERR_CLOSED, lh_copy(R"({"code":"CLOSED","message":"the session is closed"})"));
  return found;
}

Napi::Value EngineWrap::open_hooks(Info info) {
  const auto kind = static_cast<lh_hook_scope>(number_of(info[0], "kind"));
  lh_registry* scope = nullptr;
  check(info.Env(), lh_registry_scope(hooks(info), kind, &scope));
  return Napi::Number::New(info.Env(), state_->keep(scope));
}

Napi::Value EngineWrap::session_hooks(Info info) {
  const std::string id = text_of(info[0], "id");
  lh_registry* scope = nullptr;
  LhText error;
  const lh_status status = lh_session_hooks(engine(info), id.c_str(), &scope, Out(error));
  check(info.Env(), status, error);
  return Napi::Number::New(info.Env(), state_->keep(scope));
}

void EngineWrap::free_hooks(Info info) { state_->free_hooks(static_cast<uint32_t>(number_of(info[0], "scope"))); }

Napi::Value EngineWrap::add_hook(Info info) {
  const auto point = static_cast<lh_hook_point>(number_of(info[1], "point"));
  const uint64_t id = lh::node::add_hook(info.Env(), state_, hooks(info, info[0]), point, HookOptions::of(info[2]));
  return Napi::Number::New(info.Env(), static_cast<double>(id));
}

Napi::Value EngineWrap::add_native_hook(Info info) {
  lh_registry* const registry = hooks(info, info[0]);
  const std::string library = text_of(info[1], "library");
  const std::optional<std::string> symbol = optional_text_of(info[2], "symbol");
  const auto point = static_cast<lh_hook_point>(number_of(info[3], "point"));
  const HookOptions options = HookOptions::of(info[4]);
  const lh_hook_options c = options.to_c();
  uint64_t id = 0;
  LhText error;
  const lh_status status = lh_hook_add_native(registry, library.c_str(), c_str(symbol), point, &c, &id, Out(error));
  check(info.Env(), status, error);
  return Napi::Number::New(info.Env(), static_cast<double>(id));
}

Napi::Value EngineWrap::remove_hook(Info info) {
  const auto id = static_cast<uint64_t>(number_of(info[0], "id"));
  // Must not call lh_hook_remove: it waits for calls of the hook, and these wait for this thread.
  return Napi::Boolean::New(info.Env(), lh_hook_retire(hooks(info), id) == LH_OK);
}

void EngineWrap::clear_hooks(Info info) {
  check(info.Env(), lh_hook_clear(hooks(info, info[0]), static_cast<lh_hook_point>(number_of(info[1], "point"))));
}

Napi::Value EngineWrap::has_hook(Info info) {
  const auto point = static_cast<lh_hook_point>(number_of(info[1], "point"));
  return Napi::Boolean::New(info.Env(), lh_hook_has(hooks(info, info[0]), point) != 0);
}

Napi::Value EngineWrap::list_hooks(Info info) {
  LhText json;
  const lh_status status = lh_hook_list(hooks(info, info[0]), Out(json));
  check(info.Env(), status);
  return Napi::String::New(info.Env(), json.get());
}

void EngineWrap::answer_hook(Info info) {
  const auto call_id = static_cast<uint64_t>(number_of(info[0], "callId"));
  const int kind = static_cast<int>(number_of(info[1], "kind"));
  lh::node::answer_hook(info.Env(), *state_, call_id, kind, info[2]);
}

void EngineWrap::give_directive(Info info) {
  const auto call_id = static_cast<uint64_t>(number_of(info[0], "callId"));
  const std::string type = text_of(info[1], "type");
  const std::string params = text_of(info[2], "params");
  LhText error;
  const lh_status status = lh_tool_directive(call_id, type.c_str(), params.c_str(), Out(error));
  check(info.Env(), status, error);
}

void EngineWrap::tell_progress(Info info) {
  const auto call_id = static_cast<uint64_t>(number_of(info[0], "callId"));
  const double done = number_of(info[1], "done");
  const double total = number_of(info[2], "total");
  const std::optional<std::string> message = optional_words_of(info[3], "message");
  LhText error;
  const lh_status status = lh_tool_progress(call_id, done, total, c_str(message), Out(error));
  check(info.Env(), status, error);
}

void EngineWrap::report_from_tool(Info info) {
  const auto call_id = static_cast<uint64_t>(number_of(info[0], "callId"));
  const std::string code = text_of(info[1], "code");
  const std::string message = text_of(info[2], "message");
  LhText error;
  const lh_status status = lh_tool_report(call_id, code.c_str(), message.c_str(), Out(error));
  check(info.Env(), status, error);
}

void EngineWrap::trace(Info info) {
  lh_engine_trace(engine(info), nullptr, nullptr);
  state_->trace.close();
  on_trace_wake_.Reset();
  if (info[0].IsNull() || info[0].IsUndefined()) return;
  on_trace_wake_ = hold("onTraceWake", function_of(info[0], "onWake"));
  state_->trace.open();
  check(info.Env(), lh_engine_trace(engine(info), &EngineWrap::on_trace, state_.get()));
}

// On a run thread. `user_data` outlives the sink: EngineState::free_engine removes the sink first.
void EngineWrap::on_trace(const char* json, void* user_data) {
  auto& state = *static_cast<EngineState*>(user_data);
  if (!state.trace.push_now(json)) return;  // a sink must not block
  state.js().post([weak = state.weak_from_this()](napi_env env) {
    const auto alive = weak.lock();
    const napi_value on_wake = alive && alive->object ? alive->object->on_trace_wake() : nullptr;
    if (on_wake) notify_js(env, on_wake, {});
  });
}

// On a run thread.
void EngineWrap::pass_warning(const char* json, void* user_data) {
  auto& state = *static_cast<EngineState*>(user_data);
  state.js().post([weak = state.weak_from_this(), warning = std::string(json)](napi_env env) {
    const auto alive = weak.lock();
    if (!alive || !alive->object) return;
    notify_js(env, alive->object->on_warning(), {Napi::String::New(env, warning)});
  });
}

Napi::Value EngineWrap::drain_trace(Info info) { return strings_of(info.Env(), state_->trace.drain()); }

}  // namespace lh::node
