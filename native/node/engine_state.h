// The native part of a NativeEngine, which run threads and the JavaScript thread share.
// Must not: hold a JavaScript reference; EngineWrap holds those.
#pragma once

#include <napi.h>

#include <atomic>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/threads/mutex.h"
#include "js/event_buffer.h"
#include "js/js_thread.h"
#include "js_question.h"
#include "llama_hooks/engine.h"
#include "task_state.h"

namespace lh::node {

// The part of an engine's JavaScript object that the rest of the addon uses. JavaScript thread only.
// Each function returns the function that createEngine was given under that name.
class EngineObject {
 public:
  [[nodiscard]] virtual napi_value on_hook_call() const = 0;
  [[nodiscard]] virtual napi_value on_tool_call() const = 0;
  [[nodiscard]] virtual napi_value on_abandoned() const = 0;
  [[nodiscard]] virtual napi_value on_released() const = 0;
  [[nodiscard]] virtual napi_value on_warning() const = 0;
  // The functions that serveModels() was given; null if it was not called.
  [[nodiscard]] virtual napi_value on_model_call() const = 0;
  [[nodiscard]] virtual napi_value on_model_released() const = 0;
  // The function that trace() was given; null if tracing is off.
  [[nodiscard]] virtual napi_value on_trace_wake() const = 0;
  // A task that kept the object from garbage collection is over.
  virtual void task_over() = 0;

 protected:
  ~EngineObject() = default;
};

class EngineState final : public std::enable_shared_from_this<EngineState>, public QuestionOwner {
 public:
  EngineState(std::shared_ptr<JsThread> js, lh_engine* engine) : js_(std::move(js)), engine_(engine) {}
  EngineState(const EngineState&) = delete;
  EngineState& operator=(const EngineState&) = delete;

  [[nodiscard]] JsThread& js() const { return *js_; }
  [[nodiscard]] std::shared_ptr<JsThread> shared_js() const { return js_; }
  // Null once it is freed, which JavaScript can observe in "exit" listeners of the process.
  [[nodiscard]] lh_engine* engine() const { return engine_; }

  // stop() will end the question; after stop() it ends at once. Run threads.
  void opened(const std::shared_ptr<JsQuestion>& question) override;
  // Tells JavaScript that the question is over without an answer, if JavaScript has seen it. Run threads.
  void give_up(uint64_t call_id, lh_status why) override;
  // Tells JavaScript that a call is over without an answer. JavaScript thread.
  void tell_given_up(napi_env env, uint64_t call_id, lh_status why);
  // Call this after JavaScript has cancelled work: reports to JavaScript at once which of its calls have ended because
  // of the cancel, so that their signals are already aborted when JavaScript reads them. JavaScript thread.
  void tell_cancelled(napi_env env);
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_acquire); }

  // Ends every question, allows no more, and asks every task to stop. JavaScript thread; may be called twice.
  void stop();
  // After stop(): waits for the tasks and frees them.
  void free_tasks();
  // After stop(): frees the engine. Not from inside a hook.
  void free_engine();

  // Registries of sessions and single calls, by number. JavaScript thread, like both functions.
  uint32_t keep(lh_registry* hooks);
  // Null if the number is unknown.
  [[nodiscard]] lh_registry* hooks(uint32_t scope) const;
  void free_hooks(uint32_t scope);

  // JavaScript thread only.
  EngineObject* object = nullptr;                                   // null when the JavaScript object is gone
  std::unordered_map<uint64_t, std::shared_ptr<JsQuestion>> shown;  // to JavaScript, which has not answered yet
  std::vector<std::shared_ptr<TaskState>> running;
  int in_place_hooks = 0;  // hook calls that run on the JavaScript thread itself

  EventBuffer trace;

 private:
  const std::shared_ptr<JsThread> js_;
  lh_engine* engine_;
  std::unordered_map<uint32_t, lh_registry*> scopes_;  // JavaScript thread
  uint32_t last_scope_ = 0;
  Mutex mutex_;
  std::atomic<bool> stopped_{false};                                        // written under mutex_
  std::vector<std::weak_ptr<JsQuestion>> questions_ LH_GUARDED_BY(mutex_);  // expired ones are removed now and then
};
static_assert(!std::is_copy_constructible_v<EngineState>);

}  // namespace lh::node
