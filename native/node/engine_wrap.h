// NativeEngine: the JavaScript object of an engine, as src/native/addon.ts declares it.
// Must not: wait, or hold the JavaScript functions in a way that keeps an idle engine from being collected.
#pragma once

#include <napi.h>

#include <memory>

#include "engine_state.h"
#include "task_state.h"

namespace lh::node {

// The callbacks of createEngine, as src/native/addon.ts declares them.
struct JsCallbacks {
  Napi::Function on_hook_call;
  Napi::Function on_tool_call;
  Napi::Function on_abandoned;
  Napi::Function current_call;
  Napi::Function on_released;
  Napi::Function on_warning;
};

class EngineWrap : public Napi::ObjectWrap<EngineWrap>, public EngineObject {
 public:
  static Napi::Function define(Napi::Env env);
  static Napi::Object create(Napi::Env env, std::shared_ptr<EngineState> state, const JsCallbacks& callbacks);

  explicit EngineWrap(const Napi::CallbackInfo& info);
  ~EngineWrap() override;

  [[nodiscard]] napi_value on_hook_call() const override { return on_hook_call_.Value(); }
  [[nodiscard]] napi_value on_tool_call() const override { return on_tool_call_.Value(); }
  [[nodiscard]] napi_value on_abandoned() const override { return on_abandoned_.Value(); }
  [[nodiscard]] napi_value on_released() const override { return on_released_.Value(); }
  [[nodiscard]] napi_value on_warning() const override { return on_warning_.Value(); }
  [[nodiscard]] napi_value on_trace_wake() const override {
    return on_trace_wake_.IsEmpty() ? napi_value() : on_trace_wake_.Value();
  }
  [[nodiscard]] napi_value on_model_call() const override {
    return on_model_call_.IsEmpty() ? napi_value() : on_model_call_.Value();
  }
  [[nodiscard]] napi_value on_model_released() const override {
    return on_model_released_.IsEmpty() ? napi_value() : on_model_released_.Value();
  }
  void task_over() override { Unref(); }

 private:
  using Info = const Napi::CallbackInfo&;

  Napi::Value open_hooks(Info info);
  Napi::Value session_hooks(Info info);
  void free_hooks(Info info);
  Napi::Value add_hook(Info info);
  Napi::Value add_native_hook(Info info);
  Napi::Value remove_hook(Info info);
  void clear_hooks(Info info);
  Napi::Value has_hook(Info info);
  Napi::Value list_hooks(Info info);
  void answer_hook(Info info);
  void give_directive(Info info);
  void tell_progress(Info info);
  void report_from_tool(Info info);
  Napi::Value elicit(Info info);

  Napi::Value load_model(Info info);
  void serve_models(Info info);
  Napi::Value add_model(Info info);
  Napi::Value estimate_model(Info info);
  Napi::Value unload_model(Info info);
  Napi::Value list_models(Info info);
  Napi::Value describe_model(Info info);
  Napi::Value embed(Info info);
  Napi::Value rerank(Info info);
  Napi::Value tokenize(Info info);
  Napi::Value tokenize_start(Info info);
  Napi::Value detokenize(Info info);
  Napi::Value render_prompt(Info info);
  Napi::Value load_adapter(Info info);
  Napi::Value unload_adapter(Info info);
  Napi::Value list_adapters(Info info);
  Napi::Value swap_adapters(Info info);
  Napi::Value generate(Info info);
  Napi::Value open_session(Info info);
  Napi::Value run_session(Info info);
  Napi::Value session_history(Info info);
  Napi::Value session_waiting(Info info);
  void queue_message(Info info);
  void set_session_tools(Info info);
  void set_session_tiers(Info info);
  void pause_session(Info info);
  Napi::Value compact_session(Info info);
  void save_session(Info info);
  Napi::Value session_record(Info info);
  Napi::Value report_session(Info info);
  Napi::Value fork_session(Info info);
  void rewind_session(Info info);
  Napi::Value close_session(Info info);
  Napi::Value memory(Info info);
  Napi::Value system_info(Info info);
  void trace(Info info);
  Napi::Value drain_trace(Info info);
  Napi::Value close(Info info);

  // The engine's handles. Throws an Error with CLOSED once the exiting process has freed them.
  [[nodiscard]] lh_engine* engine(Info info) const;
  [[nodiscard]] lh_registry* hooks(Info info) const;
  // The registry of the scope with the number `value`; 0: the engine's. Throws an Error with CLOSED once the scope is
  // freed.
  [[nodiscard]] lh_registry* hooks(Info info, const Napi::Value& scope) const;

  // The hook call that the running JavaScript code acts inside of; 0 outside of calls.
  [[nodiscard]] uint64_t current_call(Napi::Env env) const;
  // Calls `start(callbacks, out, error_json)`, which starts a task, and wraps the task. `on_wake` may be undefined.
  template <typename Start>
  Napi::Value start_task(Napi::Env env, const Napi::Value& on_wake, const Napi::Value& on_end, bool subscribed,
                         Start start, TaskState::Events how = TaskState::Events::kQueued);
  // The same, with the hooks of a scope for this call; 0: none. `cancelled`: as lh_task_callbacks has it.
  template <typename Start>
  Napi::Value start_call(Info info, const Napi::Value& on_wake, const Napi::Value& on_end, bool subscribed,
                         const Napi::Value& scope, const Napi::Value& cancelled, Start start);
  // Calls `read(out, error_json)` and returns the resulting text.
  template <typename Read>
  Napi::Value read_text(Napi::Env env, Read read);
  // Serves lh_tokenize and others: (id or null, request).
  using RequestFn = lh_status (*)(lh_engine*, const char*, const char*, char**, char**);
  Napi::Value request(Info info, RequestFn function);
  // Serves lh_embed and others: (request, onEnd).
  using TaskFn = lh_status (*)(lh_engine*, const char*, const lh_task_callbacks*, lh_task**, char**);
  Napi::Value request_task(Info info, TaskFn function);
  // Serves lh_tokenize_start and others: (id or null, request, onEnd).
  using ModelTaskFn = lh_status (*)(lh_engine*, const char*, const char*, const lh_task_callbacks*, lh_task**, char**);
  Napi::Value model_task(Info info, ModelTaskFn function);

  // Keeps `function` alive as long as this object, without keeping this object alive.
  Napi::FunctionReference hold(const char* name, Napi::Function function);
  static void on_trace(const char* json, void* user_data);
  static void pass_warning(const char* json, void* user_data);

  std::shared_ptr<EngineState> state_;
  Napi::FunctionReference on_hook_call_;
  Napi::FunctionReference on_tool_call_;
  Napi::FunctionReference on_abandoned_;
  Napi::FunctionReference current_call_;
  Napi::FunctionReference on_released_;
  Napi::FunctionReference on_warning_;
  Napi::FunctionReference on_trace_wake_;
  Napi::FunctionReference on_model_call_;
  Napi::FunctionReference on_model_released_;
};

}  // namespace lh::node
