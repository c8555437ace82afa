// The C callbacks of hooks and tools that are JavaScript functions: see js_callback.h.
#include "js_callback.h"

#include <new>
#include <string_view>
#include <vector>

#include "js/js_call.h"
#include "js/spin.h"
#include "platform/cores.h"

namespace lh::node {
namespace {

JsAnswer failure(std::string message) {
  JsAnswer answer;
  answer.kind = JsAnswer::kFailed;
  answer.text = lh_copy(std::move(message));
  return answer;
}

// Kind 2 carries {"status", "message", "cause_id"}.
JsAnswer read_failure(Napi::Env env, napi_value text) {
  const LhText json = lh_text_of(env, text);
  const Napi::Value parsed = json ? parse_json(env, json.get()) : Napi::Value();
  if (parsed.IsEmpty() || !parsed.IsObject()) return failure("failed");
  const Napi::Object fields = parsed.As<Napi::Object>();
  const Napi::Value status = fields.Get("status");
  const Napi::Value message = fields.Get("message");
  const Napi::Value cause_id = fields.Get("cause_id");
  JsAnswer answer = failure(message.IsString() ? message.As<Napi::String>().Utf8Value() : "failed");
  if (status.IsNumber()) answer.status = status.As<Napi::Number>().Int32Value();
  if (cause_id.IsNumber()) answer.cause_id = static_cast<uint64_t>(cause_id.As<Napi::Number>().Int64Value());
  return answer;
}

JsAnswer read_answer(Napi::Env env, int kind, napi_value text) {
  if (kind == JsAnswer::kFailed) return read_failure(env, text);
  JsAnswer answer;
  answer.kind = kind;
  answer.text = lh_text_of(env, text);
  return answer;
}

// Reads the `result` of onHookCall. False: the answer comes later.
bool read_result(Napi::Env env, const Called& called, JsAnswer& answer) {
  if (called.how == Called::How::kThrew) {
    answer = failure("threw " + describe_thrown(env, called.value));
    return true;
  }
  bool is_array = false;
  if (!called.value || napi_is_array(env, called.value, &is_array) != napi_ok || !is_array) return false;
  napi_value kind = nullptr;
  napi_value text = nullptr;
  int32_t number = 0;
  if (napi_get_element(env, called.value, 0, &kind) != napi_ok ||
      napi_get_element(env, called.value, 1, &text) != napi_ok || napi_get_value_int32(env, kind, &number) != napi_ok) {
    return false;
  }
  answer = read_answer(env, number, text);
  return true;
}

// The call of a tool is one text.
ContextParts context_of(const JsCallback& callback, const char* json) {
  return callback.kind == JsCallback::Kind::kTool ? ContextParts::whole(json) : ContextParts::divide(json);
}

bool to_js(napi_env env, std::string_view text, napi_value& value) {
  return napi_create_string_utf8(env, text.data(), text.size(), &value) == napi_ok;
}

// `apart` as OnHookCall has it.
bool to_js(napi_env env, const std::vector<ContextParts::Field>& apart, napi_value& list) {
  if (apart.empty()) return napi_get_undefined(env, &list) == napi_ok;
  if (napi_create_array(env, &list) != napi_ok) return false;
  uint32_t at = 0;
  for (const auto& [name, json] : apart) {
    for (const std::string_view text : {std::string_view(name), std::string_view(json)}) {
      napi_value item = nullptr;
      if (!to_js(env, text, item) || napi_set_element(env, list, at++, item) != napi_ok) return false;
    }
  }
  return true;
}

// `task`: as OnHookCall has it.
Called call_handler(napi_env env, const JsCallback& callback, uint64_t call_id, double task,
                    const ContextParts& context) {
  EngineObject* object = callback.engine->object;
  napi_value id = nullptr;
  napi_value call = nullptr;
  napi_value work = nullptr;
  napi_value json = nullptr;
  napi_value apart = nullptr;
  if (!object || napi_create_double(env, static_cast<double>(callback.id), &id) != napi_ok ||
      napi_create_double(env, static_cast<double>(call_id), &call) != napi_ok ||
      napi_create_double(env, task, &work) != napi_ok || !to_js(env, context.text, json) ||
      !to_js(env, context.apart, apart)) {
    return {Called::How::kCannotRun, nullptr};
  }
  const bool tool = callback.kind == JsCallback::Kind::kTool;
  return call_js(env, tool ? object->on_tool_call() : object->on_hook_call(), {id, call, json, work, apart});
}

// JavaScript thread: shows a question to JavaScript. The answer to a question that is over is dropped, and
// EngineState::give_up, which is queued behind, ends its promise.
void deliver(napi_env env, const JsCallback& callback, const std::shared_ptr<JsQuestion>& question) {
  if (!question->begin() && callback.kind != JsCallback::Kind::kTold) return;
  EngineState& engine = *callback.engine;
  engine.shown.emplace(question->id(), question);
  JsAnswer answer;
  const auto task = static_cast<double>(question->task());
  const Called called = call_handler(env, callback, question->id(), task, question->take_payload());
  if (called.how == Called::How::kCannotRun) {
    question->fail(LH_ERR_CLOSED, kClosedMessage);
  } else if (read_result(env, called, answer)) {
    engine.shown.erase(question->id());
    question->answer(std::move(answer));
    // Expects no more jobs while promises are pending: they settle only after this thread has returned to its event
    // loop.
    if (engine.shown.empty()) engine.js().expect_more();
  } else if (!engine.shown.contains(question->id())) {
    // The handler cancelled the operation that it runs in, and then returned a promise.
    engine.tell_given_up(env, question->id(), LH_ERR_CANCELLED);
  }
}

// JavaScript thread: the hook is removed and no call of it is running.
void deliver_released(napi_env env, const JsCallback& callback) {
  const EngineObject* const object = callback.engine->object;
  if (!object) return;
  notify_js(env, object->on_released(),
            {Napi::Number::New(env, static_cast<double>(callback.id)),
             Napi::Boolean::New(env, callback.kind == JsCallback::Kind::kTool)});
}

int fail(lh_status status, const std::string& message, uint64_t cause_id = 0) {
  lh_call_fail(status, message.c_str(), cause_id);
  return 0;
}

int hand_over(JsAnswer& answer, char** modified_json) {
  if (answer.kind == JsAnswer::kFailed) {
    return fail(answer.status, answer.text ? answer.text.get() : "failed", answer.cause_id);
  }
  if (answer.kind == JsAnswer::kPass) lh_call_pass();
  *modified_json = answer.text.release();
  return answer.kind == JsAnswer::kCancel ? 1 : 0;
}

void observe(const CallbackRef& callback, const char* context_json) {
  const auto task = static_cast<double>(lh_current_task());
  callback->engine->js().post([callback, task, context = ContextParts::divide(context_json)](napi_env env) {
    const Called called = call_handler(env, *callback, 0, task, context);
    if (called.how == Called::How::kThrew) napi_fatal_exception(env, called.value);
  });
}

// The time to spin for the answer before sleeping. A handler that answers synchronously does so within the first of
// these times. A sleeping thread takes longer to wake up, which is worth the wait only if it then stays awake: a run
// thread that sleeps is woken on JavaScript's core, and stays there.
std::chrono::microseconds busy_for(JsThread::Posted posted, bool back_to_back) {
  if (posted == JsThread::Posted::kAwake) return std::chrono::microseconds(20);
  return std::chrono::microseconds(back_to_back ? 80 : 0);
}

// False if this thread shares its core with the JavaScript thread. The system tends to run two threads that wake each
// other on one core. There each call costs two thread switches, three times as much as on two cores, permanently: once
// calls arrive back to back, this thread moves to another core.
bool spread_over_cores(const JsThread& js, bool back_to_back) {
  constexpr int kPatience = 4;
  thread_local int shared = 0;
  const bool apart = js.runs_elsewhere();
  shared = apart || !back_to_back ? 0 : shared + 1;
  if (shared < kPatience) return apart;
  shared = 0;
  leave_core();
  return js.runs_elsewhere();
}

// Run thread: passes the question to JavaScript. The engine waits for the answer after this returns.
int ask(const CallbackRef& callback, const char* context_json) {
  JsThread& js = callback->engine->js();
  const std::shared_ptr<JsQuestion> question = JsQuestion::ask(callback->engine, context_of(*callback, context_json));
  if (!question) return fail(LH_ERR_HOOK_FAILED, "the call could not be handed to JavaScript");
  const JsThread::Posted posted = js.post([callback, question](napi_env env) { deliver(env, *callback, question); });
  if (posted == JsThread::Posted::kDropped) question->fail(LH_ERR_CLOSED, kClosedMessage);
  const bool back_to_back = js.comes_back_to_back();
  if (spread_over_cores(js, back_to_back)) {
    spin_until([&] { return !question->open(); }, busy_for(posted, back_to_back));
  }
  return 0;
}

bool is_to_come(napi_env env, const Called& called) {
  bool is_array = false;
  return called.how == Called::How::kReturned &&
         (!called.value || napi_is_array(env, called.value, &is_array) != napi_ok || !is_array);
}

constexpr double kOnCallersStack = -1;

class InPlace {
 public:
  explicit InPlace(EngineState& engine) : engine_(engine) { ++engine_.in_place_hooks; }
  ~InPlace() { --engine_.in_place_hooks; }
  InPlace(const InPlace&) = delete;
  InPlace& operator=(const InPlace&) = delete;

 private:
  EngineState& engine_;
};

// A hook that fires on the JavaScript thread itself: waiting for a promise there would never end.
int ask_in_place(const CallbackRef& callback, const char* context_json, char** modified_json) {
  EngineState& engine = *callback->engine;
  if (engine.stopped()) return fail(LH_ERR_CLOSED, kClosedMessage);
  const Napi::Env env(engine.js().env());
  const Napi::HandleScope scope(env);
  const InPlace in_place(engine);
  const uint64_t call_id = lh_call_id();
  const Called called = call_handler(env, *callback, call_id, kOnCallersStack, context_of(*callback, context_json));
  if (is_to_come(env, called)) engine.tell_given_up(env, call_id, LH_ERR_CANCELLED);
  return hand_over_at_once(env, called, modified_json);
}

}  // namespace

int ask_js(const CallbackRef& callback, const char* context_json, char** answer) {
  // An exception must not leave a callback; only a lack of memory can still throw.
  try {
    if (callback->kind == JsCallback::Kind::kObserver) {
      observe(callback, context_json);
      return 0;
    }
    if (callback->engine->js().is_current()) return ask_in_place(callback, context_json, answer);
    return ask(callback, context_json);
  } catch (const std::bad_alloc&) {
    return fail(LH_ERR_INSUFFICIENT_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return fail(LH_ERR_HOOK_FAILED, error.what());
  }
}

int hand_over_at_once(Napi::Env env, const Called& called, char** modified_json) {
  JsAnswer answer;
  if (called.how == Called::How::kCannotRun) return fail(LH_ERR_CLOSED, kClosedMessage);
  if (read_result(env, called, answer)) return hand_over(answer, modified_json);
  return fail(LH_ERR_HOOK_FAILED, "answered with a promise on the JavaScript thread, which cannot wait for it");
}

void answer_hook(Napi::Env env, EngineState& engine, uint64_t call_id, int kind, napi_value text) {
  const auto shown = engine.shown.find(call_id);
  if (shown == engine.shown.end()) return;
  const std::shared_ptr<JsQuestion> question = shown->second;
  engine.shown.erase(shown);
  question->answer(read_answer(env, kind, text));
}

void tell_released(const CallbackRef& callback) {
  JsThread& js = callback->engine->js();
  try {
    // Queued behind the remaining calls of observers; or at once, if JavaScript itself removes the hook.
    if (js.is_current() && !callback->engine->stopped()) return deliver_released(js.env(), *callback);
    js.post([callback](napi_env env) { deliver_released(env, *callback); });
  } catch (const std::exception&) {  // no memory for the job: JavaScript keeps an unused function
  }
}

}  // namespace lh::node
