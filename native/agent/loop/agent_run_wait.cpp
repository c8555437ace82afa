// Ends a run whose tool calls wait for an answer, and continues a run with the answers. Parts of AgentRun.
#include <utility>

#include "agent/loop/agent_run.h"
#include "agent/run/context_assembly.h"
#include "agent/session/session.h"
#include "agent/tools/tool_batch.h"

namespace lh {

// The calls of the message wait; the rest of the run is remembered with them.
void AgentRun::wait(const ToolBatch& batch, std::string content, std::string reasoning) {
  WaitingRun waiting;
  waiting.run_id = run_.scope.resumes.empty() ? run_.scope.run_id : run_.scope.resumes;
  waiting.goal = goal_;
  waiting.tier = run_.scope.tier;
  waiting.params = run_.requests.params();
  waiting.answer = run_.requests.answer();
  waiting.tags = own_tags_;
  waiting.dry_run = run_.dry;
  waiting.iterations = run_.result.iterations;
  waiting.rejections = rejections_;
  waiting.continuations = continuations_;
  waiting.failed_delegations = run_.failed_delegations;
  waiting.planned_steps = run_.planned_steps;
  waiting.tokens = run_.budget->used();
  waiting.limits = run_.limits.to_json();
  waiting.content = std::move(content);
  waiting.reasoning = std::move(reasoning);
  waiting.calls = batch.waiting();
  for (PendingText& one : run_.pending.texts) waiting.context.push_back(std::move(one.text));
  if (!run_.result.steps.empty()) {
    for (const WaitingCall& one : waiting.calls) run_.result.steps.back().tool_call_ids.push_back(one.call.id);
  }
  run_.pending = {};
  run_.commit();  // the messages before this one
  run_.wait(waiting_calls(waiting));
  waiting_ = std::move(waiting);
}

void AgentRun::take_waiting(WaitingRun waiting, const RunInput& input) {
  goal_ = waiting.goal;
  Json params = std::move(waiting.params);
  params.update(input.params);
  waiting.params = params;
  run_.requests.set_params(std::move(params));
  if (input.answer) waiting.answer = input.answer;
  run_.requests.set_answer(waiting.answer);
  run_.dry = waiting.dry_run;
  run_.result.iterations = waiting.iterations;
  run_.scope.iteration = waiting.iterations;
  run_.failed_delegations = waiting.failed_delegations;
  run_.planned_steps = waiting.planned_steps;
  rejections_ = waiting.rejections;
  continuations_ = waiting.continuations;
  if (TokenBudget* const tokens = run_.budget->tokens()) tokens->take(waiting.tokens);
  run_.limits.restore(waiting.limits);
  answers_ = input.resume;
  run_.transcript.open_message(waiting.content, waiting.reasoning, waiting.calls.size());
  for (size_t i = 0; i < waiting.calls.size(); ++i) run_.transcript.show_call(i, waiting.calls[i].call, nullptr);
  run_.session.forget_waiting();
  waiting_ = std::move(waiting);
}

// Takes the place of a model call.
bool AgentRun::go_on_with_calls() {
  if (run_.work.cancel.cancelled()) {  // they wait again
    run_.cancelled();
    return false;
  }
  WaitingRun waiting = *waiting_;  // kept until the calls run
  run_.move_to(LoopState::kWaitingTool);
  run_.pending = {};
  for (std::string& text : waiting.context) run_.pending.texts.push_back({Origin::kHook, std::move(text)});
  ToolBatch batch(run_, controls_, directives_);
  batch.resume(waiting, answers_);
  if (batch.waits() && !cancels(answers_)) {
    wait(batch, std::move(waiting.content), std::move(waiting.reasoning));
    return false;
  }
  if (run_.work.cancel.cancelled()) {  // as above: none has begun
    run_.cancelled();
    return false;
  }
  if (cancels(answers_)) batch.cancel("a call of the message was cancelled");
  ModelAnswer answer;
  answer.content = std::move(waiting.content);
  answer.reasoning = std::move(waiting.reasoning);
  for (const WaitingCall& one : waiting.calls) answer.tool_calls.push_back(one.call);
  run_.result.text = answer.content;
  run_.result.reasoning = answer.reasoning;
  waiting_.reset();
  say(answer, batch.run());
  if (!cancels(answers_)) return serve_requests();
  run_.cancelled_by_answer();
  return false;
}

}  // namespace lh
