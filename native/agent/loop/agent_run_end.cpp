// The end of an iteration and of a run: the hooks that fire there, and the reason that they are given.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "agent/loop/agent_run.h"
#include "agent/run/reflection.h"
#include "agent/session/session.h"
#include "generation/conversation_json.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {

// The end of an iteration after its tool calls. True: another one follows.
bool AgentRun::end_of(bool goes_on) {
  if (waiting_) {  // the iteration ends when the calls have run
    in_iteration_ = false;
    return false;
  }
  if (goes_on && run_.setup.reflect && !run_.budget->spent()) {
    if (auto why = reflect(run_)) {
      run_.halt({"reflection", *std::move(why)});
      goes_on = false;
    }
  }
  if (run_.work.cancel.cancelled() && !run_.result.cancel) run_.cancelled();
  goes_on = end_iteration(goes_on);
  if (closing_ != nullptr && !goes_on) {  // else the answer was sent back
    if (ended_well()) run_.limit(closing_);
    return false;
  }
  goes_on = !run_.result.halt && (goes_on || ended_well()) && (take_queued() || goes_on);
  if (goes_on && run_.state != LoopState::kExecuting) run_.move_to(LoopState::kExecuting);
  return goes_on;
}

bool AgentRun::end_iteration(bool goes_on) {
  in_iteration_ = false;
  if (!run_.result.steps.empty() && run_.result.steps.back().iteration == run_.scope.iteration) {
    for (size_t i = records_before_; i < run_.result.tool_calls.size(); ++i) {
      run_.result.steps.back().tool_call_ids.push_back(run_.result.tool_calls[i].call.id);
    }
  }
  const bool success = !goes_on && run_.result.status.ok() && run_.result.finish == RunFinish::kComplete;
  const auto outcome = run_.ask<points::OnIterationEnd>(run_.scope_now(), [&](const auto& context) {
    Json counts = Json::object();
    for (size_t i = records_before_; i < run_.result.tool_calls.size(); ++i) {
      Json& count = counts[run_.result.tool_calls[i].call.name];
      count = count.is_null() ? 1 : count.get<int>() + 1;
    }
    context({.iteration = run_.scope.iteration,
             .status = goes_on   ? "running"
                       : success ? "success"
                                 : "failure",
             .tool_call_counts = counts,
             .task_completed = success,
             .continuations = continuations_,
             .output = run_.result.text});
  });
  if (const auto veto = outcome.veto(); veto && (goes_on || success)) {
    run_.halt({veto->by, veto->reason});
    return false;
  }
  if (outcome.answers().complete().or_else(false)) return false;
  const auto more = outcome.answers().continue_();
  if (!more || !(goes_on || success) || closing_ != nullptr || run_.work.cancel.cancelled()) return goes_on;
  return go_on_with(*more, more.by()) || goes_on;
}

bool AgentRun::go_on_with(const std::string& told, const std::string& hook) {
  const bool no_iteration = run_.result.iterations == run_.setup.max_iterations;
  if (no_iteration || continuations_ == run_.setup.max_continuations) {
    const std::string limit = no_iteration ? std::to_string(run_.result.iterations) + " iterations"
                                           : std::to_string(continuations_) + " continuations";
    run_.dispatcher.error(run_.scope, code_name(Code::kRetryLimit),
                          "the hook " + hook + " asked the run to go on after " + limit + ", and it does not", "run",
                          true);
    return false;
  }
  ++continuations_;
  run_.say(Origin::kHook, told);
  run_.commit();
  return true;
}

void AgentRun::end_dry_run() {
  run_.notify<points::OnDryRun>(run_.closing_scope(), [this](const auto& context) {
    Json tools = Json::array();
    for (const ToolRecord& record : run_.result.tool_calls) {
      if (std::ranges::find(tools, Json(record.call.name)) == tools.end()) tools.push_back(record.call.name);
    }
    const auto above = [&](size_t tool_count, int32_t iterations) {
      return tools.size() > tool_count || run_.result.iterations > iterations;
    };
    const std::string cost = above(10, 5) ? "high" : above(5, 3) ? "medium" : "low";
    context({.planned_steps = run_.planned_steps, .tools_used = tools, .estimated_cost = cost});
  });
}

void AgentRun::end_loop() {
  if (run_.above == nullptr) run_.session.inbox().put_back();  // as hooks left them
  if (waiting_) {
    run_.session.set_waiting(*waiting_);
  } else {
    run_.dialogue.set_said({});
  }
  const bool complete = run_.result.finish == RunFinish::kComplete;
  if (run_.state == LoopState::kIdle) return;  // there was no memory to begin with
  run_.move_to(!run_.result.status.ok() ? LoopState::kError
               : complete               ? LoopState::kComplete
                                        : LoopState::kInterrupted);
  if (run_.dry && run_.above == nullptr) end_dry_run();
  const auto took = std::chrono::steady_clock::now() - start_;
  run_.notify<points::OnLoopEnd>(run_.closing_scope(), [&](const auto& context) {
    context({.final_state = loop_state_name(run_.state),
             .reason = reason(),
             .iterations = run_.result.iterations,
             .response = run_.result.text,
             .usage = run_.result.usage,
             .duration_ms = std::chrono::duration<double, std::milli>(took).count()});
  });
  run_.move_to(LoopState::kIdle);
}

std::optional<std::string> AgentRun::reason() const {
  if (!run_.result.status.ok()) return run_.result.status.message();
  if (run_.result.halt) return run_.result.halt->reason;
  if (run_.result.cancel) return run_.result.cancel->reason;
  if (!run_.result.limit.empty()) return run_.result.limit;
  if (run_.result.finish == RunFinish::kWaiting) return "tool calls wait for an answer";
  return std::nullopt;
}

}  // namespace lh
