// What the parts of one run share: whose it is, how far it has come, and what it has come to.
// Must not: decide how it goes on.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "agent/run/loop_state.h"
#include "agent/run/pending_requests.h"
#include "agent/run/run_budget.h"
#include "agent/run/run_result.h"
#include "agent/run/tool_limits.h"
#include "agent/session/dialogue.h"
#include "base/threads/mutex.h"
#include "generation/model_source.h"
#include "generation/work.h"
#include "hooks/dispatch/dispatcher.h"

namespace lh {

class Session;

// Events of a run, each with the run that it is of.
class RunEvents final : public EventSink {
 public:
  RunEvents(EventSink& to, std::string run_id, int depth) : to_(to), origin_{std::move(run_id), depth} {}
  [[nodiscard]] bool wanted() const override { return to_.wanted(); }
  // Runs that this one delegates to may tell at once.
  void deliver(const Event& event, const EventOrigin* origin) override {
    const MutexLock lock(mutex_);
    to_.deliver(event, origin != nullptr ? origin : &origin_);
  }

 private:
  Mutex mutex_;
  EventSink& to_;
  const EventOrigin origin_;
};
static_assert(!std::is_copy_constructible_v<RunEvents>);

struct RunContext {
  // All of it outlives the run; `parent` is the run that delegates to this one, or null. `scope` has the ids of
  // session, run and model, the tier and the depth. `own`: limits in the place of the session's, for what is no run;
  // null: those.
  RunContext(Session& of, Dialogue& in, const Dispatcher& by, ModelUse with, Scope whose, const Work& job,
             RunContext* parent, const SessionParams* own = nullptr);
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  // Fires ON_STATE_CHANGE. Throws std::logic_error where there is no such move.
  void move_to(LoopState to);
  // Of hooks that hear of an end or of a result, whoever brought it about: the end of the engine waits for them, too,
  // up to their deadline.
  [[nodiscard]] Scope closing_scope() const;
  // Of hooks that hear of every step: also once it is cancelled.
  [[nodiscard]] Scope scope_now() const;
  // How it ends; of several the last holds.
  void halt(Stop stop);
  void cancelled();
  void fail(Status status, const char* where);
  void limit(const char* which);
  void say(MessagePtr message);
  // Takes a message of the user away that was said before; hooks may have given it back as one of their own.
  void drop(const MessagePtr& message);
  // What a compaction has taken is taken for good: the model has answered to what is left.
  void settle_compaction();
  // Bytes of a tool's result, and of what else tools bring in.
  [[nodiscard]] size_t max_result() const;
  // Whether the model can read on in what it is shown in part.
  [[nodiscard]] bool can_inspect() const;
  // What was said so far can be seen and saved from now on, that of `open` too; it goes with the run unless commit()
  // makes it the conversation's.
  void publish();
  // What was said is the conversation's from now on. Not to be called while a tool call lacks its result.
  void commit();
  // The message that the model gave, of which hooks have not had the calls yet.
  void open_message(std::string content, std::string reasoning, size_t calls);
  // The call of that number of it, and its result if it has one, as hooks have left them: seen from now on. Nothing for
  // steps of a plan.
  void show_call(size_t index, const ToolCall& call, const std::string* outcome);
  // The phase changes when all results are there. Errors: kInvalidArgument.
  [[nodiscard]] Status ask_for_phase(const std::string& phase);
  // The engine's own tool of that number is carried out; and with these arguments, which hooks have had.
  void begin_own(size_t index, const ToolCall& call);
  void settle_args(Json args);

  Session& session;
  Dialogue& dialogue;
  const Dispatcher& dispatcher;
  ModelUse model;
  RunEvents events;
  const std::shared_ptr<RunBudget> budget;  // shared with the run above
  const Work work;
  RunContext* const above;
  ErrorStreak errors;
  Scope scope;
  ToolLimits limits;
  LoopState state = LoopState::kIdle;
  Json params = Json::object();  // for sampling, of this run: laid over the session's
  std::string goal;              // what it was asked
  Messages messages;             // the conversation as the model is shown it, with what this run has added
  Messages everything;           // the same, with what compactions have left out
  Messages added;                // by this run
  int32_t failed_delegations = 0;
  bool dry = false;           // tools are answered, and not run
  int32_t planned_steps = 0;  // of a dry run
  RunResult result;

  PendingRequests pending;
  // The message whose calls are being carried out, as far as hooks have had it. It is said when all results are there.
  struct Open {
    std::string content;
    std::string reasoning;
    struct Call {
      ToolCall call;
      bool shown = false;
      std::optional<std::string> result;
    };
    std::vector<Call> calls;
    Call* under_way = nullptr;  // of the engine's own tool
  };
  std::optional<Open> open;
  // Of the tools of that profile the ones that the model can be held to.
  struct Offered {
    std::shared_ptr<const Profile> of;
    Tools tools;
  };
  Offered offered;
  std::function<void()> compacted;  // what a compaction has yet to note; null: nothing
  int plan_depth = 0;               // plans that are under way

 private:
  void finish(RunFinish how);

  size_t committed_ = 0;  // of added, from the front on
};
static_assert(!std::is_copy_constructible_v<RunContext>);

}  // namespace lh
