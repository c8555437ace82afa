// Connects a C callback to a JavaScript function: passes the question to the JavaScript thread and the answer back.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>

#include "engine_state.h"
#include "js/js_call.h"

namespace lh::node {

// One registration. Owned by the caller of the C callback, through its user data, and by queued jobs.
struct JsCallback {
  // kTold: a hook at a point that reports past events. All its calls reach JavaScript, in order, even after the engine
  // has stopped waiting. The other kinds are then not called, because their question is obsolete.
  enum class Kind { kAsked, kTold, kObserver, kTool };

  std::shared_ptr<EngineState> engine;
  Kind kind = Kind::kAsked;
  // A hook's id is known only when lh_hook_add has returned, and a call on another thread may come earlier. Only jobs
  // read it, and they run on the adding thread.
  uint64_t id = 0;
};
using CallbackRef = std::shared_ptr<JsCallback>;

// Inside the C callback, on its thread. The return value and `answer` are those of the callback.
int ask_js(const CallbackRef& callback, const char* context_json, char** answer);

// Inside a C callback on the JavaScript thread: converts the handler's result to the callback's answer. A promise is a
// failure, because that thread cannot wait for it.
int hand_over_at_once(Napi::Env env, const Called& called, char** modified_json);

// JavaScript's later answer to a call; ignored if the call is over.
void answer_hook(Napi::Env env, EngineState& engine, uint64_t call_id, int kind, napi_value text);

// Tells JavaScript that the hook or the function of a tool is not used any more. Any thread.
void tell_released(const CallbackRef& callback);

}  // namespace lh::node
