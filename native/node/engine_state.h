// The native side of one NativeEngine: what engine threads and the JavaScript thread share.
// Must not: hold a JavaScript reference; those are the EngineWrap's.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "event_buffer.h"
#include "hook_call.h"
#include "js_thread.h"
#include "llama_hooks/engine.h"

namespace lh::node {

class EngineWrap;
class TaskState;

class EngineState : public std::enable_shared_from_this<EngineState> {
 public:
  EngineState(std::shared_ptr<JsThread> js, lh_engine* engine) : js_(std::move(js)), engine_(engine) {}
  EngineState(const EngineState&) = delete;
  EngineState& operator=(const EngineState&) = delete;

  [[nodiscard]] JsThread& js() const { return *js_; }
  [[nodiscard]] std::shared_ptr<JsThread> shared_js() const { return js_; }
  // Null when it is freed, which JavaScript can see in listeners of the process's exit.
  [[nodiscard]] lh_engine* engine() const { return engine_; }

  // A call that is about to wait, so that stop() can wake it; false after stop(). Engine threads.
  [[nodiscard]] bool enter(HookCall& call);
  void leave(HookCall& call);
  [[nodiscard]] uint64_t next_call_id() { return ++last_call_id_; }

  // Wakes every waiting call and lets no other wait; asks every task to stop. JavaScript thread; may be called twice.
  void stop();
  // After stop(): waits for the tasks and frees them.
  void free_tasks();
  // After free_tasks(): frees the engine. Not from inside a hook.
  void free_engine();

  // JavaScript thread only.
  EngineWrap* wrap = nullptr;  // null when the JavaScript object is gone
  std::unordered_map<uint64_t, std::shared_ptr<HookCall>> open_calls;
  std::vector<std::shared_ptr<TaskState>> running;
  int in_place_hooks = 0;  // hook calls that run on the JavaScript thread itself

  EventBuffer trace;

 private:
  const std::shared_ptr<JsThread> js_;
  lh_engine* engine_;
  std::atomic<uint64_t> last_call_id_{0};
  std::mutex mutex_;
  bool stopped_ = false;           // guarded by mutex_
  std::vector<HookCall*> waiting_;  // guarded by mutex_
};

}  // namespace lh::node
