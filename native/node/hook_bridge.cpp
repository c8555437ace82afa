// The C callback behind every hook that was added from JavaScript: see hook_bridge.h.
#include "hook_bridge.h"

#include "engine_wrap.h"
#include "js_call.h"
#include "spin.h"

namespace lh::node {
namespace {

using State = HookCall::State;

// One registration. Owned by the registry through its user data, and by queued jobs.
struct HookSlot {
  std::shared_ptr<EngineState> engine;
  int64_t deadline_ms = 0;
  bool observes = false;
  // Known only when lh_hook_add has returned, which a call on another thread may overtake: read by jobs alone, which
  // run on the thread that adds.
  uint64_t id = 0;
};
using SlotRef = std::shared_ptr<HookSlot>;

const char* why_text(State why) {
  if (why == State::kTimedOut) return "deadline";
  return why == State::kCancelled ? "cancelled" : "closed";
}

HookAnswer failure(const std::string& message) {
  HookAnswer answer;
  answer.kind = HookAnswer::kFailed;
  answer.text.reset(lh_strdup(message.c_str()));
  return answer;
}

// Kind 2 carries {"status", "message", "cause_id"}.
HookAnswer read_failure(Napi::Env env, napi_value text) {
  const LhText json = lh_text_of(env, text);
  const Napi::Value parsed = json ? parse_json(env, json.get()) : Napi::Value();
  if (parsed.IsEmpty() || !parsed.IsObject()) return failure("failed");
  const Napi::Object fields = parsed.As<Napi::Object>();
  const Napi::Value status = fields.Get("status");
  const Napi::Value message = fields.Get("message");
  const Napi::Value cause_id = fields.Get("cause_id");
  HookAnswer answer = failure(message.IsString() ? message.As<Napi::String>().Utf8Value() : "failed");
  if (status.IsNumber()) answer.status = status.As<Napi::Number>().Int32Value();
  if (cause_id.IsNumber()) answer.cause_id = static_cast<uint64_t>(cause_id.As<Napi::Number>().Int64Value());
  return answer;
}

HookAnswer read_answer(Napi::Env env, int kind, napi_value text) {
  if (kind == HookAnswer::kFailed) return read_failure(env, text);
  HookAnswer answer;
  answer.kind = kind;
  answer.text = lh_text_of(env, text);
  return answer;
}

// `result` of onHookCall: false when the answer is still to come.
bool read_result(Napi::Env env, const Called& called, HookAnswer& answer) {
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
      napi_get_element(env, called.value, 1, &text) != napi_ok ||
      napi_get_value_int32(env, kind, &number) != napi_ok) {
    return false;
  }
  answer = read_answer(env, number, text);
  return true;
}

Called call_handler(napi_env env, const HookSlot& slot, uint64_t call_id, const std::string& context) {
  EngineWrap* wrap = slot.engine->wrap;
  napi_value hook = nullptr;
  napi_value call = nullptr;
  napi_value json = nullptr;
  if (!wrap || napi_create_double(env, static_cast<double>(slot.id), &hook) != napi_ok ||
      napi_create_double(env, static_cast<double>(call_id), &call) != napi_ok ||
      napi_create_string_utf8(env, context.data(), context.size(), &json) != napi_ok) {
    return {Called::How::kCannotRun, nullptr};
  }
  return call_js(env, wrap->on_hook_call(), {hook, call, json});
}

// JavaScript thread: shows a call to JavaScript.
void deliver(napi_env env, const HookSlot& slot, const std::shared_ptr<HookCall>& call) {
  if (!call->waiting()) return;
  EngineState& engine = *slot.engine;
  call->set_shown();
  engine.open_calls.emplace(call->id(), call);
  HookAnswer answer;
  const Called called = call_handler(env, slot, call->id(), call->take_context());
  if (called.how == Called::How::kCannotRun) {
    call->abandon(State::kClosed);
  } else if (read_result(env, called, answer)) {
    engine.open_calls.erase(call->id());
    call->answer(std::move(answer));
    // Not while promises are open: they settle only when this thread has returned to its event loop.
    if (engine.open_calls.empty()) engine.js().expect_more();
  }
}

// JavaScript thread: a call ended without an answer.
void deliver_abandoned(napi_env env, EngineState& engine, const HookCall& call, State why) {
  engine.open_calls.erase(call.id());
  if (!call.shown() || !engine.wrap) return;
  notify_js(env, engine.wrap->on_hook_abandoned(),
            {Napi::Number::New(env, static_cast<double>(call.id())), Napi::String::New(env, why_text(why))});
}

int fail(lh_status status, const std::string& message, uint64_t cause_id = 0) {
  lh_call_fail(status, message.c_str(), cause_id);
  return 0;
}

int hand_over(HookAnswer& answer, char** modified_json) {
  if (answer.kind == HookAnswer::kFailed) {
    return fail(answer.status, answer.text ? answer.text.get() : "failed", answer.cause_id);
  }
  if (answer.kind == HookAnswer::kPass) lh_call_pass();
  *modified_json = answer.text.release();
  return answer.kind == HookAnswer::kCancel ? 1 : 0;
}

int fail_abandoned(const HookSlot& slot, State why) {
  if (why == State::kTimedOut) {
    return fail(LH_ERR_HOOK_TIMEOUT, "no answer within " + std::to_string(slot.deadline_ms) + " ms");
  }
  return fail(LH_ERR_CANCELLED, why == State::kCancelled ? "the operation was cancelled" : "the engine was closed");
}

void observe(const SlotRef& slot, const char* context_json) {
  slot->engine->js().post([slot, context = std::string(context_json)](napi_env env) {
    const Called called = call_handler(env, *slot, 0, context);
    if (called.how == Called::How::kThrew) napi_fatal_exception(env, called.value);
  });
}

// How long to look out for the answer before sleeping. A handler that answers at once does so within the first of these
// times. A thread that must wake up first takes longer, which is worth it only where it will stay awake for more: whoever
// sleeps then is woken on JavaScript's core, and stays there.
std::chrono::microseconds busy_for(JsThread::Posted posted, bool brisk) {
  if (posted == JsThread::Posted::kAwake) return std::chrono::microseconds(20);
  return std::chrono::microseconds(brisk ? 80 : 0);
}

// The system likes to run two threads that wake each other on one core. There each call costs two switches of threads,
// three times as much as on two cores, and it stays so: once it shows, this thread moves.
void part_ways(bool apart) {
  constexpr int kPatience = 4;
  thread_local int together = 0;
  together = apart ? 0 : together + 1;
  if (together < kPatience) return;
  leave_core();
  together = 0;
}

// Engine thread: asks JavaScript and waits.
int ask(const SlotRef& slot, const char* context_json, char** modified_json) {
  EngineState& engine = *slot->engine;
  // lh_call_on_cancel may call until after this function has returned, so the call outlives it: until this thread's
  // next one, or its end.
  thread_local std::shared_ptr<HookCall> call;
  call = std::make_shared<HookCall>(engine.next_call_id(), context_json);
  if (!engine.enter(*call)) return fail_abandoned(*slot, State::kClosed);
  lh_call_on_cancel([](void* user_data) { static_cast<HookCall*>(user_data)->abandon(State::kCancelled); }, call.get());
  const JsThread::Posted posted = engine.js().post([slot, call = call](napi_env env) { deliver(env, *slot, call); });
  if (posted == JsThread::Posted::kDropped) call->abandon(State::kClosed);
  const bool brisk = engine.js().is_brisk();
  const bool elsewhere = engine.js().runs_elsewhere();
  const State end = call->wait(slot->deadline_ms, elsewhere ? busy_for(posted, brisk) : std::chrono::microseconds(0));
  part_ways(elsewhere || !brisk);
  engine.leave(*call);
  if (end == State::kAnswered) return hand_over(call->given(), modified_json);
  engine.js().post([slot, call = call, end](napi_env env) { deliver_abandoned(env, *slot->engine, *call, end); });
  return fail_abandoned(*slot, end);
}

// A hook that fires on the JavaScript thread itself: waiting for a promise there would wait for ever.
int ask_in_place(const SlotRef& slot, const char* context_json, char** modified_json) {
  EngineState& engine = *slot->engine;
  const Napi::Env env(engine.js().env());
  const Napi::HandleScope scope(env);
  HookCall call(engine.next_call_id(), context_json);
  if (!engine.enter(call)) return fail_abandoned(*slot, State::kClosed);
  ++engine.in_place_hooks;
  call.set_shown();
  HookAnswer answer;
  const Called called = call_handler(env, *slot, call.id(), call.take_context());
  --engine.in_place_hooks;
  engine.leave(call);
  if (called.how == Called::How::kCannotRun) return fail_abandoned(*slot, State::kClosed);
  if (read_result(env, called, answer)) return hand_over(answer, modified_json);
  deliver_abandoned(env, engine, call, State::kCancelled);
  return fail(LH_ERR_HOOK_FAILED, "answered with a promise on the JavaScript thread, which cannot wait for it");
}

// The lh_hook_fn. An exception may not leave it; running out of memory is all that is left to throw.
int on_hook(int32_t, const char* context_json, char** modified_json, void* user_data) {
  try {
    const SlotRef& slot = *static_cast<SlotRef*>(user_data);
    if (slot->observes) {
      observe(slot, context_json);
      return 0;
    }
    if (slot->engine->js().is_current()) return ask_in_place(slot, context_json, modified_json);
    return ask(slot, context_json, modified_json);
  } catch (const std::exception& error) {
    return fail(LH_ERR_HOOK_FAILED, error.what());
  }
}

void on_release(void* user_data) { delete static_cast<SlotRef*>(user_data); }

}  // namespace

HookOptions HookOptions::of(const Napi::Value& value) {
  if (!value.IsObject()) throw Napi::TypeError::New(value.Env(), "options must be an object");
  const Napi::Object fields = value.As<Napi::Object>();
  HookOptions options;
  options.name = text_of(fields.Get("name"), "name");
  options.priority = static_cast<int32_t>(number_of(fields.Get("priority"), "priority"));
  options.deadline_ms = static_cast<int64_t>(number_of(fields.Get("deadlineMs"), "deadlineMs"));
  options.flags = static_cast<uint32_t>(number_of(fields.Get("flags"), "flags"));
  return options;
}

lh_hook_options HookOptions::to_c() const {
  lh_hook_options c = LH_HOOK_OPTIONS_INIT;
  c.name = name.empty() ? nullptr : name.c_str();
  c.priority = priority;
  c.deadline_ms = deadline_ms;
  c.flags = flags;
  return c;
}

uint64_t add_hook(Napi::Env env, const std::shared_ptr<EngineState>& engine, lh_registry* registry,
                  lh_hook_point point, const HookOptions& options) {
  auto slot = std::make_shared<HookSlot>();
  slot->engine = engine;
  slot->deadline_ms = options.deadline_ms;
  slot->observes = (options.flags & LH_HOOK_OBSERVE) != 0;
  lh_hook_options c = options.to_c();
  c.release = &on_release;
  // The registry's from here on: another thread may remove the hook before lh_hook_add has returned.
  auto* user_data = new SlotRef(slot);
  LhText error;
  const lh_status status = lh_hook_add(registry, point, &on_hook, user_data, &c, &slot->id, Out(error));
  if (status != LH_OK) delete user_data;
  check(env, status, error);
  return slot->id;
}

void answer_hook(Napi::Env env, EngineState& engine, uint64_t call_id, int kind, napi_value text) {
  const auto open = engine.open_calls.find(call_id);
  if (open == engine.open_calls.end()) return;
  const std::shared_ptr<HookCall> call = open->second;
  engine.open_calls.erase(open);
  call->answer(read_answer(env, kind, text));
}

}  // namespace lh::node
