// A function of JavaScript behind a C callback: the question goes to the JavaScript thread, the answer comes back.
// Must not: know what is asked, or judge the answer.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>

#include "engine_state.h"
#include "js_call.h"

namespace lh::node {

// One registration. Owned by whoever calls the C callback, through its user data, and by queued jobs.
struct JsCallback {
  // kTold: a hook at a point that tells what has happened. Its calls reach JavaScript in the order in which they were
  // made, also when the engine has given up waiting. The other kinds are not called then: what they were asked is moot.
  enum class Kind { kAsked, kTold, kObserver, kTool };

  std::shared_ptr<EngineState> engine;
  Kind kind = Kind::kAsked;
  // Of a hook known only when lh_hook_add has returned, which a call on another thread may overtake: read by jobs
  // alone, which run on the thread that adds.
  uint64_t id = 0;
};
using CallbackRef = std::shared_ptr<JsCallback>;

// Inside the C callback, on the thread that calls it; what it returns and gives is the callback's.
int ask_js(const CallbackRef& callback, const char* context_json, char** answer);

// Inside a C callback on the JavaScript thread: what the handler gave is the callback's answer. One that is still to
// come is a failure: nobody can wait for it there.
int hand_over_at_once(Napi::Env env, const Called& called, char** modified_json);

// JavaScript's answer to a call it left open; ignored when the call is over.
void answer_hook(Napi::Env env, EngineState& engine, uint64_t call_id, int kind, napi_value text);

// JavaScript thread: the hook is removed and no call of it runs any more.
void deliver_released(napi_env env, const JsCallback& callback);

// JavaScript thread: a call is over without an answer, and JavaScript hears of it if it was shown the call.
void deliver_given_up(napi_env env, EngineState& engine, uint64_t call_id, lh_status why);

}  // namespace lh::node
