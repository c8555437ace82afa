#include "agent/loop/agent_run.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "agent/compaction/compactor.h"
#include "agent/delegation/plan_runner.h"
#include "agent/run/context_assembly.h"
#include "agent/run/reflection.h"
#include "agent/run/run_trace.h"
#include "agent/session/session.h"
#include "agent/tools/tool_batch.h"
#include "base/caught.h"
#include "generation/answer_messages.h"
#include "generation/conversation_json.h"

namespace lh {
namespace {

constexpr std::string_view kNotComplete = "[NOT COMPLETE] call the tool complete when the work is done, with ";

std::vector<ToolCall> calls_of(const std::vector<ToolRecord>& records) {
  std::vector<ToolCall> calls;
  for (const ToolRecord& record : records) calls.push_back(record.call);
  return calls;
}

// If hooks rewrote a tool call, drops the logprobs of tool calls, and the alternatives of all other tokens.
void forget_changed(RatedTokens& logprobs, const std::vector<ToolCall>& written,
                    const std::vector<ToolRecord>& records) {
  const bool as_written = std::ranges::equal(written, records, [](const ToolCall& call, const ToolRecord& record) {
    return call.name == record.call.name && call.args == record.call.args;
  });
  if (as_written) return;
  std::erase_if(logprobs, [](const RatedToken& token) { return token.kind == PieceKind::kToolCall; });
  for (RatedToken& token : logprobs) token.top.reset();
}

class OwnChildRun final : public ChildRun {
 public:
  OwnChildRun(Session& session, Dialogue& dialogue, const Dispatcher& dispatcher, ModelUse model, Scope scope,
              const Work& work, RunContext& above)
      : run_(session, dialogue, dispatcher, std::move(model), std::move(scope), work, &above) {}
  [[nodiscard]] RunResult run(const std::string& task) override { return std::move(run_).run({task}); }

 private:
  AgentRun run_;
};

}  // namespace

std::unique_ptr<ChildRun> AgentRun::make_child(Dialogue& dialogue, ModelUse model, Scope scope) {
  return std::make_unique<OwnChildRun>(run_.session, dialogue, run_.dispatcher, std::move(model), std::move(scope),
                                       run_.work, run_);
}

RunResult AgentRun::run(const RunInput& input) && {
  run_.requests.set_params(input.params);
  run_.requests.set_answer(input.answer);
  own_tags_ = input.tags;
  plan_ = input.plan;
  run_.dry = run_.dry || input.dry_run;
  if (run_.above == nullptr) {
    if (Status status = run_.budget->start_clock(); !status.ok()) {
      run_.fail(std::move(status), "run");
      return std::move(run_.result);
    }
  }
  if (!input.resume.empty()) {
    take_waiting(run_.session.waiting().value(), input);
  } else if (!take_input(input)) {
    return std::move(run_.result);
  }
  // Catches all exceptions: a loop that has begun ends, and reports the failure.
  try {
    begin_loop();
    loop();
  } catch (const std::exception&) {
    run_.fail(caught(), "run");
    if (in_iteration_) end_iteration(false);
  }
  end_loop();
  return std::move(run_.result);
}

void AgentRun::begin_loop() {
  run_.move_to(LoopState::kPlanning);
  run_.notify<points::OnLoopStart>(run_.scope_now(), [this](const auto& context) {
    context({.messages = run_.transcript.messages(),
             .message_count = run_.transcript.messages().size(),
             .delegation_depth = run_.scope.depth,
             .tier = run_.scope.tier});
  });
  run_.move_to(LoopState::kExecuting);
}

void AgentRun::loop() {
  if (!waiting_) static_cast<void>(take_queued());
  for (bool goes_on = true; goes_on;) {
    if (!wait_while_paused()) return run_.cancelled();
    if (run_.above == nullptr && !take_changes()) return;
    if (waiting_) {
      in_iteration_ = true;
      records_before_ = 0;
      goes_on = end_of(go_on_with_calls());
      continue;
    }
    if (const char* const limit = closing_ == nullptr ? reached() : nullptr) {
      // A delegated run that reaches a limit has failed.
      if (run_.setup.on_limit == OnLimit::kStop || run_.above != nullptr) return run_.limit(limit);
      closing_ = limit;
      run_.requests.without_calls();
    }
    if (run_.budget->spent()) return run_.limit("max_run_tokens");
    in_iteration_ = true;
    run_.scope.iteration = ++run_.result.iterations;
    run_.session.count_iteration();
    records_before_ = run_.result.tool_calls.size();
    run_.result.text.clear();
    run_.result.reasoning.clear();
    run_.result.logprobs.clear();
    if (run_.requests.wants_answer()) run_.result.answered = false;
    if (run_.work.events.wanted()) run_.work.events.emit(IterationEvent{run_.scope.iteration});
    run_.notify<points::OnLoopIteration>([this](const auto& context) {
      context({.goal = goal_,
               .iteration = run_.scope.iteration,
               .max_iterations = run_.setup.max_iterations,
               .state = loop_state_name(run_.state),
               .consecutive_errors = run_.errors.count.load()});
    });
    goes_on = end_of(!run_.work.cancel.cancelled() && iterate());
  }
}

// The limit after which no call runs; null: none is reached.
const char* AgentRun::reached() const {
  if (run_.result.iterations == run_.setup.max_iterations) return "max_iterations";
  return run_.setup.on_limit == OnLimit::kAnswer && run_.limits.exceeded() ? "max_tool_calls" : nullptr;
}

// Builds the request of the next model call. False: no call is made.
bool AgentRun::prepare(ModelRequest& request, std::unique_ptr<Prompt>& prompt) {
  if (run_.budget->spent()) {  // a plan has run
    run_.limit("max_run_tokens");
    return false;
  }
  const auto render = [&]() -> Status {
    auto made = run_.requests.build(run_.transcript.messages());
    if (!made.ok()) return made.status();
    request = *std::move(made);
    // Its id joins a call with its result.
    request.models = &run_.session.models();
    for (const MessagePtr& message : run_.transcript.everything()) {
      for (const ToolCall& call : message->tool_calls) request.taken_ids.insert(call.id);
    }
    PromptRequest whole = request.prompt_request();
    whole.cancel = &run_.work.cancel;
    auto rendered = run_.model.generator->prepare(whole, request.params);
    if (!rendered.ok()) return rendered.status();
    prompt = *std::move(rendered);
    return {};
  };
  Status status = render();
  if (status.ok() && Compactor(run_).compact_if_due(prompt->length())) {
    status = render();
  }
  if (run_.work.cancel.cancelled()) {
    run_.cancelled();
    return false;
  }
  if (!status.ok()) {
    run_.fail(std::move(status), "assemble");
    return false;
  }
  Assembled assembled = assemble_context(run_, request, prompt);
  if (assembled.stopped) {
    run_.halt(*std::move(assembled.stopped));
  } else if (assembled.cancelled) {
    run_.cancelled();
  } else if (!assembled.status.ok()) {
    run_.fail(std::move(assembled.status), "assemble");
  } else if (run_.work.cancel.cancelled()) {  // by a hook there
    run_.cancelled();
  } else {
    for (const AddedText& text : assembled.durable) run_.transcript.say(text);
    run_.transcript.publish();
    return true;
  }
  return false;
}

bool AgentRun::iterate() {
  if (plan_ && !run_plan()) return false;
  ModelRequest request;
  std::unique_ptr<Prompt> prompt;
  if (!prepare(request, prompt)) return false;
  ModelAnswer answer = call_model(run_, std::move(request), run_.work, std::move(prompt));
  if (answer.status.ok() && !answer.messages.empty()) run_.transcript.settle_compaction();
  run_.result.usage += answer.usage;
  run_.result.steps.push_back({run_.scope.iteration, answer.model_id, answer.finish_reason, answer.usage, {}});
  std::ranges::move(answer.decisions, std::back_inserter(run_.result.decisions));
  run_.result.text = answer.content;
  run_.result.reasoning = answer.reasoning;
  run_.result.logprobs = std::move(answer.logprobs);
  if (!answer.status.ok()) {
    run_.result.status = answer.status;
    run_.result.refused = std::move(answer.refused);
    return false;
  }
  if (answer.cancel) {
    const bool by_caller = run_.work.cancel.cancelled() && answer.cancel->by == kCaller;
    refuse_tools(answer, by_caller ? ResultKind::kCancelled : ResultKind::kRejectedHook,
                 "not run: " + answer.cancel->reason, by_caller ? "" : answer.cancel->by);
    if (by_caller) {
      run_.cancelled();
    } else {
      run_.halt(*std::move(answer.cancel));
    }
    return false;
  }
  if (answer.halt) {
    refuse_tools(answer, ResultKind::kRejectedHook, "refused: " + answer.halt->reason, answer.halt->by);
    run_.halt(*std::move(answer.halt));
    return false;
  }
  if (answer.finish_reason == FinishReason::kLength) {
    refuse_tools(answer, ResultKind::kRejectedLimit, "not run: the message was cut off", "");
    run_.limit(run_.budget->spent() ? "max_run_tokens" : "max_tokens");
    return false;
  }
  if (answer.tool_calls.empty()) {
    say(answer, {});
    if (run_.dialogue.profile()->explicit_completion && closing_ == nullptr)
      return send_back(std::string(kNotComplete) + (run_.requests.wants_answer() ? "the answer" : "a summary of it"));
    return run_.requests.wants_answer() && complete(answer.content);
  }
  return run_tools(answer);
}

// False: the hooks have accepted the message as the run's answer.
bool AgentRun::complete(const std::string& answer) {
  run_.pending = {};
  static_cast<void>(controls_.complete(answer, {}));
  return serve_requests();
}

bool AgentRun::run_tools(const ModelAnswer& answer) {
  run_.transcript.open_message(answer.content, answer.reasoning, answer.tool_calls.size());
  run_.move_to(LoopState::kWaitingTool);
  run_.pending = {};
  ToolBatch batch(run_, controls_, directives_);
  batch.decide(answer.tool_calls);
  if (batch.waits() && !run_.work.cancel.cancelled()) {
    wait(batch, answer.content, answer.reasoning);
    return false;
  }
  if (batch.waits()) batch.cancel(run_.work.cancel.reason());
  std::vector<ToolRecord> records = batch.run();
  std::ranges::move(run_.pending.records, std::back_inserter(run_.result.tool_calls));
  say(answer, std::move(records));
  return serve_requests();
}

// Runs the caller's plan; the model receives its outcome.
bool AgentRun::run_plan() {
  const Plan plan = *std::exchange(plan_, std::nullopt);
  run_.move_to(LoopState::kWaitingTool);
  run_.pending = {};
  const OwnToolAnswer answer = PlanRunner(run_, controls_, directives_, *this).run(plan, run_.result.tool_calls);
  if (answer.kind == ResultKind::kCancelled) {  // before a step of it has begun
    run_.cancelled();
    return false;
  }
  run_.say(Origin::kEngine, "[" + answer.text + "]");
  run_.commit();  // its tools have run
  return serve_requests();
}

// False: the run ends.
bool AgentRun::serve_requests() {
  PendingRequests& pending = run_.pending;
  const size_t results = run_.transcript.everything().size();
  for (auto& [key, text] : pending.anchors) {
    const MessagePtr said = run_.say(Origin::kAnchor, std::move(text));
    if (const MessagePtr before = run_.dialogue.set_anchor(key, said)) run_.transcript.drop(before);
    run_.commit();
  }
  say_pending_texts();
  if (!run_.work.cancel.cancelled() && pending.completion && !pending.accepted && !pending.stop) {
    static_cast<void>(controls_.complete(*pending.completion, {}));
  }
  if (run_.work.cancel.cancelled()) {
    run_.cancelled();
    return false;
  }
  if (pending.tier) {
    if (Status status = change_tier(*pending.tier); !status.ok()) {
      if (run_.work.cancel.cancelled()) {
        run_.cancelled();
      } else {
        run_.fail(std::move(status), "tier_change");
      }
      return false;
    }
  }
  if (pending.phase) run_.dialogue.change_phase(*pending.phase);
  run_.dialogue.mark(results);  // tools have asked for tier and phase
  if (pending.stop) {           // takes precedence over everything else that the message asks for
    run_.halt(*std::move(pending.stop));
    return false;
  }
  if (pending.accepted) {
    run_.result.text = *std::move(pending.accepted);
    if (run_.requests.wants_answer()) run_.result.answered = true;
    return false;
  }
  if (pending.rejected && !send_back("[CITATION VALIDATION] " + *pending.rejected)) return false;
  run_.move_to(LoopState::kExecuting);
  return true;
}

// False: it was one too many.
bool AgentRun::send_back(std::string told) {
  if (++rejections_ > run_.setup.max_completion_rejections) {
    run_.limit("max_completion_rejections");
    return false;
  }
  run_.say(Origin::kEngine, std::move(told));
  run_.commit();
  return true;
}

void AgentRun::say_pending_texts() {
  for (PendingText& one : run_.pending.texts) run_.say(one.origin, std::move(one.text));
  if (!run_.pending.texts.empty()) run_.commit();
  run_.pending.texts.clear();
}

// Their results pass the hooks as those of all others do.
void AgentRun::refuse_tools(const ModelAnswer& answer, ResultKind kind, const std::string& why, const std::string& by) {
  if (answer.messages.empty()) return;
  run_.pending = {};
  run_.transcript.open_message(answer.content, answer.reasoning, answer.tool_calls.size());
  say(answer, ToolBatch(run_, controls_, directives_).refuse(answer.tool_calls, kind, why, by));
  say_pending_texts();
}

// Adds the model's message, with its calls as hooks left them, and all results: the history has all of these or none.
void AgentRun::say(const ModelAnswer& answer, std::vector<ToolRecord> records) {
  forget_changed(run_.result.logprobs, answer.tool_calls, records);
  run_.transcript.say(answer_message(answer.content, answer.reasoning, calls_of(records)));
  for (const ToolRecord& record : records) {
    run_.transcript.say(result_message({record.call.id, record.call.name, record.result}));
  }
  std::ranges::move(records, std::back_inserter(run_.result.tool_calls));
  run_.commit();
}

}  // namespace lh
