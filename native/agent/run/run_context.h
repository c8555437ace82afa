// The state that the parts of one run share: its session, its progress and its result.
// Must not: decide how it continues.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "agent/run/loop_state.h"
#include "agent/run/pending_requests.h"
#include "agent/run/request_builder.h"
#include "agent/run/run_budget.h"
#include "agent/run/run_result.h"
#include "agent/run/tool_limits.h"
#include "agent/run/transcript.h"
#include "agent/session/dialogue.h"
#include "base/threads/mutex.h"
#include "generation/model_source.h"
#include "generation/work.h"
#include "hooks/calls/user_questions.h"
#include "hooks/dispatch/dispatcher.h"
#include "hooks/dispatch/fire.h"
#include "hooks/dispatch/points_agent.h"
#include "hooks/dispatch/points_tools.h"

namespace lh {

class Session;

// Events of a run, each with the id of its run.
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
  // session, run and model, the tier and the depth. `own`: limits that replace the session's, for work that is not a
  // run; null: the session's.
  RunContext(Session& of, Dialogue& in, const Dispatcher& by, ModelUse with, Scope whose, const Work& job,
             RunContext* parent, const SessionParams* own = nullptr);
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  // Fires a point and keeps its decision in the result.
  template <typename P, typename Build>
  [[nodiscard]] PointOutcome<P> ask(const Build& build) {
    return fire<P>(dispatcher, scope, result.decisions, build);
  }
  // The same, in the place of this run's scope `at`.
  template <typename P, typename Build>
  [[nodiscard]] PointOutcome<P> ask(const Scope& at, const Build& build, const DispatchExtras& extras = {}) {
    return fire<P>(dispatcher, at, result.decisions, build, extras);
  }
  // Fires a point about a tool call: hooks can match the name of its tool, and the decision has its id.
  template <typename P, typename Build>
  [[nodiscard]] PointOutcome<P> ask_of(const ToolCall& call, const Scope& at, const Build& build,
                                       DispatchExtras extras = {}) {
    const KnownField known{"tool_name", call.name};
    extras.known = &known;
    extras.tool_call_id = &call.id;
    return ask<P>(at, build, extras);
  }
  // The same for points whose outcome changes nothing; no decision is kept.
  template <typename P, typename Build>
  void notify(const Build& build) const {
    lh::notify<P>(dispatcher, scope, build);
  }
  template <typename P, typename Build>
  void notify(const Scope& at, const Build& build) const {
    lh::notify<P>(dispatcher, at, build);
  }
  template <typename P, typename Build>
  void notify_of(const ToolCall& call, const Build& build) const {
    const KnownField known{"tool_name", call.name};
    static_cast<void>(fire<P>(dispatcher, scope, build, {.known = &known, .tool_call_id = &call.id}));
  }
  // Fires ON_STATE_CHANGE. Throws std::logic_error for a move that does not exist.
  void move_to(LoopState to);
  // The scope of hooks that see an end or a result. Cancelling the run does not stop them, and a closing engine waits
  // for them until their deadline.
  [[nodiscard]] Scope closing_scope() const;
  // The scope of hooks that see every step, also after the run is cancelled.
  [[nodiscard]] Scope scope_now() const;
  // Each of these sets how the run ends; the last call counts.
  void halt(Stop stop);
  void cancelled();
  void fail(Status status, const char* where);
  void limit(const char* which);
  // Tool calls of the last message wait for an answer.
  void wait(Json calls);
  // An answer for a call that waited was to cancel the run.
  void cancelled_by_answer();
  // The maximum bytes of a tool's result, and of other texts of tools.
  [[nodiscard]] size_t max_result() const;
  // True if the model can read the rest of a text that it is shown in part.
  [[nodiscard]] bool can_inspect() const;
  // A text that a hook, a tool or the engine adds. If the text is longer than a result may be, the model sees its
  // beginning, and can inspect the rest.
  [[nodiscard]] AddedText added_text(Origin origin, std::string text) const;
  MessagePtr say(Origin origin, std::string text) { return transcript.say(added_text(origin, std::move(text))); }
  // Adds the said messages to the conversation and to the result. Must not: be called while a tool call lacks its
  // result.
  void commit();
  // Requests a phase, which changes when all results are there. Errors: kInvalidArgument.
  [[nodiscard]] Status ask_for_phase(const std::string& phase);

  Session& session;
  const SessionSetup& setup;
  Dialogue& dialogue;
  const Dispatcher& dispatcher;
  ModelUse model;
  RunEvents events;
  const std::shared_ptr<RunBudget> budget;   // shared with the run above
  const std::shared_ptr<AskingLine> asking;  // likewise: tools' questions for the user
  const Work work;
  RunContext* const above;
  ErrorStreak errors;
  Scope scope;
  ToolLimits limits;
  LoopState state = LoopState::kIdle;
  int32_t failed_delegations = 0;
  bool dry = false;           // tools are answered, and not run
  int32_t planned_steps = 0;  // of a dry run
  RunResult result;
  PendingRequests pending;
  Transcript transcript;
  RequestBuilder requests;

 private:
  void finish(RunFinish how);
};
static_assert(!std::is_copy_constructible_v<RunContext>);

}  // namespace lh
