// The composition root: one engine with its hooks, models and running tasks.
// Must not: do the work of any of them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>

#include "agent/session/session.h"
#include "base/function_ref.h"
#include "base/threads/mutex.h"
#include "engine/models/adapter_manager.h"
#include "engine/models/model_manager.h"
#include "engine/tasks/requests.h"
#include "engine/tasks/run_queue.h"
#include "engine/tasks/task.h"
#include "hooks/dispatch/registry_handle.h"
#include "platform/thread.h"

namespace lh {

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> create(const EngineOptions& options);
  ~Engine();  // closes and joins, without a limit
  // Closes and frees. If work does not end in time, the engine is left behind: its hooks are retired, and it is freed
  // when the work has ended.
  static void free(std::unique_ptr<Engine> engine);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] lh_registry& hooks() { return registry_; }
  [[nodiscard]] ModelManager& models() { return models_; }
  [[nodiscard]] RecentConversations& recent_conversations() { return recent_conversations_; }
  void set_trace(lh_trace_fn sink, void* user_data);

  using TaskResult = Result<std::shared_ptr<Task>>;
  TaskResult load(const std::string& id, LoadRequest request, const lh_task_callbacks& callbacks);
  // A model of the caller. Errors at once: as load().
  TaskResult add(const std::string& id, const std::shared_ptr<OwnModel>& model, const lh_task_callbacks& callbacks);
  TaskResult estimate(LoadRequest request, const lh_task_callbacks& callbacks);
  TaskResult unload(const std::string& id, std::string reason, const lh_task_callbacks& callbacks);
  [[nodiscard]] const AdapterManager& adapters() const { return adapters_; }
  TaskResult load_adapter(const std::string& id, AdapterRequest request, const lh_task_callbacks& callbacks);
  TaskResult unload_adapter(const std::string& id, const lh_task_callbacks& callbacks);
  // Returns the result of lh_adapter_swap.
  TaskResult swap_adapters(const std::string& session_id, std::vector<AdapterChoice> choices,
                           const lh_task_callbacks& callbacks);
  TaskResult generate(GenerateRequest request, const lh_task_callbacks& callbacks);
  // Returns the result of lh_tokenize; does not load a cold model.
  TaskResult tokenize(const std::string& model_id, TokenizeOptions request, const lh_task_callbacks& callbacks);
  // Returns the result of lh_render_prompt; does not load a cold model.
  TaskResult render_prompt(const std::string& model_id, RenderRequest request, const lh_task_callbacks& callbacks);
  // Return the results of lh_embed and lh_rerank.
  TaskResult embed(EmbedOptions request, const lh_task_callbacks& callbacks);
  TaskResult rerank(RerankOptions request, const lh_task_callbacks& callbacks);
  // Returns the session's id.
  Result<std::string> open_session(SessionSetup setup);
  // Removes a session that no hook has seen.
  void forget_session(const std::string& id);
  Result<std::shared_ptr<Session>> session(const std::string& id) const;
  // Also while the session or the engine closes.
  Result<Json> session_record(const std::string& id) const;
  TaskResult report_session(const std::string& id, std::string code, std::string message, std::string where,
                            const lh_task_callbacks& callbacks);
  TaskResult run_session(const std::string& id, RunRequest request, const lh_task_callbacks& callbacks);
  // Returns the result of lh_session_compact.
  TaskResult compact_session(const std::string& id, CompactParams how, const lh_task_callbacks& callbacks);
  // Returns the new session's id.
  // `message_id` empty: with the last message, or to the beginning.
  Result<std::string> fork_session(const std::string& id, const std::string& message_id);
  [[nodiscard]] Status rewind_session(const std::string& id, const std::string& message_id);
  TaskResult close_session(const std::string& id, const lh_task_callbacks& callbacks);
  // Returns the result of lh_tool_elicit.
  TaskResult elicit(uint64_t call_id, UserRequest request, const lh_task_callbacks& callbacks);
  // A second close ends together with the first. Ends with kStuck if work does not end in time.
  TaskResult close(const lh_task_callbacks& callbacks);
  // A close waits for work this long; 0: without end.
  [[nodiscard]] std::chrono::milliseconds patience() const { return patience_; }

  [[nodiscard]] Json memory() const { return models_.memory(); }
  // kClosed once closing has begun.
  [[nodiscard]] Status check_open() const;

 private:
  static constexpr const char* kClosedMessage = "the engine is closed";
  static constexpr auto kNothing = []() -> const void* { return nullptr; };

  Engine(std::shared_ptr<ModelRuntime> runtime, const ModelManager::Limits& limits, const EngineOptions& options)
      : patience_(options.close_timeout_ms),
        models_(std::move(runtime), registry_.dispatcher, closing_, limits),
        adapters_(models_),
        queue_(static_cast<size_t>(options.max_queued)) {
    if (options.on_hook_failure == OnHookFailure::kIgnore) registry_.dispatcher.warnings().ignore_hooks();
  }
  // Starts a task unless the engine is closed or `admit` refuses; both are decided under one lock with close(). If no
  // thread can be started, `undo` reverses `admit`. `awaits_users_of`: as in Operation, known once admitted.
  TaskResult start(const lh_task_callbacks& callbacks, Task::Kind kind, FunctionRef<Status()> admit,
                   FunctionRef<void()> undo, Task::Body body, FunctionRef<const void*()> awaits_users_of = kNothing);
  TaskResult begin(const lh_task_callbacks& callbacks, Task::Kind kind, Task::Body body,
                   const void* awaits_users_of = nullptr) LH_REQUIRES(mutex_);
  Status launch_listed(const std::shared_ptr<Task>& task) LH_REQUIRES(mutex_);
  // Queues work on a model. The work is destroyed, and the model released, when the end is reported.
  struct ModelWork {
    std::function<TaskEnd(const ModelManager::Use& model, Task& task)> body;
    // The end of the work if its caller cancels it while its model is being loaded again.
    std::function<TaskEnd(const Status& status, Task& task)> stopped;
  };
  struct Line {
    RunQueue::Work work;
    size_t places;
    int32_t priority;
  };
  [[nodiscard]] static Line line_of_generations(const ModelManager::Wanted& model, int32_t priority);
  TaskResult enqueue(ModelManager::Wanted model, const Line& line, const lh_task_callbacks& callbacks, ModelWork work)
      LH_REQUIRES(mutex_);
  [[nodiscard]] TaskEnd load_again(ModelManager::Wanted& model, int32_t priority, const ModelWork& work, Task& task);
  // Defined in engine_embeddings.cpp.
  struct EmbeddingCall {
    std::string model_id;
    const char* started;  // names of its events in the trace, and of their field with the number of texts
    const char* ended;
    const char* counted;
    size_t texts;
    std::function<TaskEnd(const ModelManager::Use& model, const Work& work)> body;  // returns the result
  };
  TaskResult enqueue_embedding(EmbeddingCall call, const lh_task_callbacks& callbacks);
  [[nodiscard]] TaskEnd run_generation(GenerateRequest request, const std::string& run_id,
                                       const ModelManager::Use& model, Task& task);
  struct OpenSession {
    std::shared_ptr<Session> session;
    std::weak_ptr<Task> run;  // the last run
    bool is_closing = false;  // kept only to decide whether a call inside the close may wait for it
  };
  // The turn of a session, with its model.
  struct Turn {
    std::shared_ptr<Session::Turn> turn;
    ModelManager::Wanted model;
  };
  [[nodiscard]] Result<Turn> take_turn(const std::string& id) LH_REQUIRES(mutex_);
  Result<std::string> keep_session(const std::shared_ptr<Session>& session);
  [[nodiscard]] Result<std::shared_ptr<Session>> find_session(const std::string& id) const LH_REQUIRES(mutex_);
  // A task that has its turn still needs a thread.
  void launch(const std::shared_ptr<Task>& task);
  void cancelled_while_waiting(const Task* task);
  void task_ended(const Task* task);
  // Defined in engine_close.cpp.
  [[nodiscard]] Status begin_emptying();
  void empty();
  void cancel_work() LH_EXCLUDES(mutex_);
  void empty_once();
  void wait_for_tasks(std::optional<std::chrono::milliseconds> at_most);
  void close_sessions(bool all);
  void unload_models(bool all);
  [[nodiscard]] Status wait_until_emptied(std::optional<Task::Clock::time_point> since);
  [[nodiscard]] bool awaits_answer() LH_REQUIRES(mutex_);
  void give_up_tasks(const Status& status);
  [[nodiscard]] Status stuck() const LH_REQUIRES(mutex_);
  [[nodiscard]] Trace& trace() const { return registry_.dispatcher.trace(); }

  const std::chrono::milliseconds patience_;
  lh_registry registry_;
  CancelFlag closing_;  // wakes hooks that continue after their operation's cancel
  ModelManager models_;
  AdapterManager adapters_;
  RecentConversations recent_conversations_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::set<std::shared_ptr<Task>> tasks_ LH_GUARDED_BY(mutex_);        // running tasks, except closing ones
  std::map<std::string, OpenSession> sessions_ LH_GUARDED_BY(mutex_);  // by id
  RunQueue queue_ LH_GUARDED_BY(mutex_);
  int closers_ LH_GUARDED_BY(mutex_) = 0;                                        // closing tasks that have not ended
  bool closed_ LH_GUARDED_BY(mutex_) = false;                                    // no new work
  bool emptying_ LH_GUARDED_BY(mutex_) = false;                                  // a thread is at it
  bool emptied_ LH_GUARDED_BY(mutex_) = false;                                   // nothing runs and no model is loaded
  std::optional<Task::Clock::time_point> emptying_since_ LH_GUARDED_BY(mutex_);  // a close is under way
  std::shared_ptr<Operation> emptying_work_ LH_GUARDED_BY(mutex_);
  // Waits for work without a limit, so that the callers which wait for this thread can have one.
  Thread emptier_;
  std::optional<LeftBehind> left_behind_ LH_GUARDED_BY(mutex_);
  // Set if the engine was left behind: the emptier frees it.
  std::unique_ptr<Engine> left_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<Engine>);

}  // namespace lh

// The handle of engine.h.
struct lh_engine {
  std::unique_ptr<lh::Engine> engine;
};

struct lh_task {
  std::shared_ptr<lh::Task> task;
  std::chrono::milliseconds patience{0};
};
