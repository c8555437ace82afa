#include "agent/loop/agent_run.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <set>
#include <utility>

#include "agent/compaction/compactor.h"
#include "agent/delegation/plan_runner.h"
#include "agent/run/context_assembly.h"
#include "agent/run/cut_text.h"
#include "agent/run/reflection.h"
#include "agent/run/run_trace.h"
#include "agent/session/session.h"
#include "agent/tools/tool_batch.h"
#include "base/caught.h"
#include "generation/answer_messages.h"
#include "generation/conversation_json.h"
#include "generation/decision_log.h"

namespace lh {
namespace {

constexpr std::string_view kNotComplete = "call the tool complete when the work is done, with a summary of it";

std::vector<ToolCall> calls_of(const std::vector<ToolRecord>& records) {
  std::vector<ToolCall> calls;
  for (const ToolRecord& record : records) calls.push_back(record.call);
  return calls;
}

// Of text that is not as the model wrote it there is none, and nothing is said of what else was likely beside it.
void forget_changed(std::vector<TokenEvent>& logprobs, const std::vector<ToolCall>& written,
                    const std::vector<ToolRecord>& records) {
  const bool as_written = std::ranges::equal(written, records, [](const ToolCall& call, const ToolRecord& record) {
    return call.name == record.call.name && call.args == record.call.args;
  });
  if (as_written) return;
  std::erase_if(logprobs, [](const TokenEvent& token) { return token.kind == PieceKind::kToolCall; });
  for (TokenEvent& token : logprobs) token.top.reset();
}

class OwnChildRun final : public ChildRun {
 public:
  OwnChildRun(Session& session, Dialogue& dialogue, const Dispatcher& dispatcher, ModelUse model, Scope scope,
              const Work& work, RunFrame& above)
      : run_(session, dialogue, dispatcher, std::move(model), std::move(scope), work, &above) {}
  [[nodiscard]] RunResult run(const std::string& task) override { return std::move(run_).run({task}); }

 private:
  AgentRun run_;
};

}  // namespace

std::unique_ptr<ChildRun> AgentRun::make_child(Dialogue& dialogue, ModelUse model, Scope scope) {
  return std::make_unique<OwnChildRun>(frame_.session, dialogue, frame_.dispatcher, std::move(model), std::move(scope),
                                       frame_.work, frame_);
}

RunResult AgentRun::run(const RunInput& input) && {
  frame_.params = input.params;
  plan_ = input.plan;
  frame_.dry = frame_.dry || input.dry_run;
  if (frame_.above == nullptr) {
    if (Status status = frame_.budget->start_clock(); !status.ok()) {
      frame_.fail(std::move(status), "run");
      return std::move(frame_.result);
    }
  }
  if (!take_input(input.content)) return std::move(frame_.result);
  // One of the places where exceptions stop: a loop that has begun ends, and says so.
  try {
    begin_loop();
    loop();
  } catch (const std::exception&) {
    frame_.fail(caught(), "run");
    if (in_iteration_) end_iteration(false);
  }
  end_loop();
  return std::move(frame_.result);
}

void AgentRun::begin_loop() {
  frame_.move_to(LoopState::kPlanning);
  static_cast<void>(frame_.dispatcher.fire(LH_HOOK_ON_LOOP_START, frame_.scope_now(), [&](std::string& out) {
    append_members(out, {{"messages", to_json(frame_.messages)},
                         {"message_count", frame_.messages.size()},
                         {"delegation_depth", frame_.scope.depth},
                         {"tier", null_if_empty(frame_.scope.tier)}});
  }));
  frame_.move_to(LoopState::kExecuting);
}

void AgentRun::loop() {
  static_cast<void>(take_queued());
  for (bool goes_on = true; goes_on;) {
    if (!wait_while_paused()) return frame_.cancelled();
    if (frame_.result.iterations == frame_.session.setup().max_iterations) {
      return frame_.limit("max_iterations");
    }
    if (frame_.budget->spent()) return frame_.limit("max_run_tokens");
    in_iteration_ = true;
    frame_.scope.iteration = ++frame_.result.iterations;
    frame_.session.count_iteration();
    records_before_ = frame_.result.tool_calls.size();
    frame_.result.text.clear();
    frame_.result.reasoning.clear();
    frame_.result.logprobs.clear();
    if (frame_.work.events.wanted()) frame_.work.events.emit(IterationEvent{frame_.scope.iteration});
    static_cast<void>(frame_.dispatcher.fire(LH_HOOK_ON_LOOP_ITERATION, frame_.scope, [&](std::string& out) {
      append_members(out, {{"goal", frame_.goal},
                           {"iteration", frame_.scope.iteration},
                           {"max_iterations", frame_.session.setup().max_iterations},
                           {"state", loop_state_name(frame_.state)},
                           {"consecutive_errors", frame_.errors.count.load()}});
    }));
    goes_on = !frame_.work.cancel.cancelled() && iterate();
    if (goes_on && frame_.session.setup().reflect && !frame_.budget->spent()) {
      if (auto why = reflect(frame_)) {
        frame_.halt({"reflection", *std::move(why)});
        goes_on = false;
      }
    }
    if (frame_.work.cancel.cancelled() && !frame_.result.cancel) frame_.cancelled();
    end_iteration(goes_on);
    goes_on = !frame_.result.halt && (goes_on || ended_well()) && (take_queued() || goes_on);
    if (goes_on && frame_.state != LoopState::kExecuting) frame_.move_to(LoopState::kExecuting);
  }
}

// What the model is to be asked; false: no model call is made.
bool AgentRun::prepare(ModelRequest& request, std::unique_ptr<Prompt>& prompt) {
  if (frame_.budget->spent()) {  // a plan has run
    frame_.limit("max_run_tokens");
    return false;
  }
  const auto render = [&]() -> Status {
    auto asked = make_request(frame_, frame_.params);
    if (!asked.ok()) return asked.status();
    request = *std::move(asked);
    auto rendered = frame_.model.generator->prepare(request.prompt_request(), request.params);
    if (!rendered.ok()) return rendered.status();
    prompt = *std::move(rendered);
    return {};
  };
  Status status = render();
  if (status.ok() && Compactor(frame_, frame_.params).compact_if_due(static_cast<int64_t>(prompt->tokens().size()))) {
    status = render();
  }
  if (frame_.work.cancel.cancelled()) {
    frame_.cancelled();
    return false;
  }
  if (!status.ok()) {
    frame_.fail(std::move(status), "assemble");
    return false;
  }
  Assembled assembled = assemble_context(frame_, request, prompt);
  if (assembled.stopped) {
    frame_.halt(*std::move(assembled.stopped));
  } else if (assembled.cancelled) {
    frame_.cancelled();
  } else if (!assembled.status.ok()) {
    frame_.fail(std::move(assembled.status), "assemble");
  } else if (frame_.work.cancel.cancelled()) {  // by a hook there
    frame_.cancelled();
  } else {
    for (const MessagePtr& message : assembled.durable) frame_.say(message);
    frame_.publish();
    return true;
  }
  return false;
}

bool AgentRun::iterate() {
  if (plan_ && !run_plan()) return false;
  ModelRequest asked;
  std::unique_ptr<Prompt> prompt;
  if (!prepare(asked, prompt)) return false;
  ModelAnswer answer = call_model(frame_, std::move(asked), frame_.work, std::move(prompt));
  if (answer.status.ok() && !answer.messages.empty()) frame_.settle_compaction();
  number_anew(answer.tool_calls);
  frame_.result.usage += answer.usage;
  std::ranges::move(answer.decisions, std::back_inserter(frame_.result.decisions));
  frame_.result.text = answer.content;
  frame_.result.reasoning = answer.reasoning;
  frame_.result.logprobs = std::move(answer.logprobs);
  if (!answer.status.ok()) {
    frame_.result.status = answer.status;
    return false;
  }
  if (answer.cancel) {
    const bool by_caller = frame_.work.cancel.cancelled() && answer.cancel->by == kCaller;
    refuse_tools(answer, by_caller ? ResultKind::kCancelled : ResultKind::kRejectedHook,
                 "not run: " + answer.cancel->reason, by_caller ? "" : answer.cancel->by);
    if (by_caller) {
      frame_.cancelled();
    } else {
      frame_.halt(*std::move(answer.cancel));
    }
    return false;
  }
  if (answer.halt) {
    refuse_tools(answer, ResultKind::kRejectedHook, "refused: " + answer.halt->reason, answer.halt->by);
    frame_.halt(*std::move(answer.halt));
    return false;
  }
  if (answer.finish_reason == FinishReason::kLength) {
    refuse_tools(answer, ResultKind::kRejectedLimit, "not run: the message was cut off", "");
    frame_.limit(frame_.budget->spent() ? "max_run_tokens" : "max_tokens");
    return false;
  }
  if (answer.tool_calls.empty()) {
    say(answer, {});
    return frame_.dialogue.profile()->explicit_completion && send_back("[NOT COMPLETE] " + std::string(kNotComplete));
  }
  return run_tools(answer);
}

bool AgentRun::run_tools(const ModelAnswer& answer) {
  frame_.open_message(answer.content, answer.reasoning, answer.tool_calls.size());
  frame_.move_to(LoopState::kWaitingTool);
  frame_.asked = {};
  std::vector<ToolRecord> records = ToolBatch(frame_, controls_, directives_).run(answer.tool_calls);
  std::ranges::move(frame_.asked.records, std::back_inserter(frame_.result.tool_calls));
  say(answer, std::move(records));
  return do_asked();
}

// The caller's, whose outcome the model is told.
bool AgentRun::run_plan() {
  const Plan plan = *std::exchange(plan_, std::nullopt);
  frame_.move_to(LoopState::kWaitingTool);
  frame_.asked = {};
  const OwnToolAnswer answer = PlanRunner(frame_, controls_, directives_, *this).run(plan, frame_.result.tool_calls);
  if (answer.kind == ResultKind::kCancelled) {  // before a step of it has begun
    frame_.cancelled();
    return false;
  }
  frame_.say(user_message("[" + cut_text(answer.text, frame_.max_result()) + "]"));
  frame_.commit();  // its tools have run
  return do_asked();
}

// False: the run ends.
bool AgentRun::do_asked() {
  RunFrame::Asked& asked = frame_.asked;
  for (auto& [key, message] : asked.anchors) {
    if (const MessagePtr before = frame_.dialogue.set_anchor(key, message)) frame_.drop(before);
    frame_.say(message);
  }
  for (const MessagePtr& message : asked.messages) frame_.say(message);
  if (!asked.anchors.empty() || !asked.messages.empty()) frame_.commit();
  if (!frame_.work.cancel.cancelled() && asked.completion && !asked.accepted) {
    static_cast<void>(controls_.complete(*asked.completion, {}));
  }
  if (frame_.work.cancel.cancelled()) {
    frame_.cancelled();
    return false;
  }
  if (asked.tier) {
    if (Status status = change_tier(*asked.tier); !status.ok()) {
      if (frame_.work.cancel.cancelled()) {
        frame_.cancelled();
      } else {
        frame_.fail(std::move(status), "tier_change");
      }
      return false;
    }
  }
  if (asked.phase) frame_.dialogue.change_phase(*asked.phase);
  if (asked.accepted) {
    frame_.result.text = *std::move(asked.accepted);
    return false;
  }
  if (asked.rejected && !send_back("[CITATION VALIDATION] " + *asked.rejected)) return false;
  if (asked.stop) {
    frame_.halt(*std::move(asked.stop));
    return false;
  }
  frame_.move_to(LoopState::kExecuting);
  return true;
}

// Its id joins a call with its result: one that the conversation has had already is given another.
void AgentRun::number_anew(std::vector<ToolCall>& calls) const {
  std::set<std::string> known;
  for (const MessagePtr& message : frame_.everything) {
    for (const ToolCall& call : message->tool_calls) known.insert(call.id);
  }
  for (ToolCall& call : calls) {
    if (!known.insert(call.id).second) call.id.clear();
  }
  number_calls(calls);
}

Status AgentRun::change_tier(const std::string& tier) {
  const std::string wanted = model_of(frame_.session.setup(), tier);
  if (wanted != frame_.dialogue.profile()->model) {
    auto model = frame_.session.models().acquire(wanted, frame_.work, frame_.result.refused);
    if (!model.ok()) return model.status();
    frame_.model = *std::move(model);
    frame_.scope.model_id = frame_.model.id;
  }
  frame_.dialogue.change_tier(tier);
  frame_.scope.tier = tier;
  return {};
}

// False: it was one too many.
bool AgentRun::send_back(std::string told) {
  if (++rejections_ > frame_.session.setup().max_completion_rejections) {
    frame_.limit("max_completion_rejections");
    return false;
  }
  frame_.say(user_message(std::move(told)));
  frame_.commit();
  return true;
}

// Their results pass the hooks as those of all others do.
void AgentRun::refuse_tools(const ModelAnswer& answer, ResultKind kind, const std::string& why, const std::string& by) {
  if (answer.messages.empty()) return;
  frame_.open_message(answer.content, answer.reasoning, answer.tool_calls.size());
  say(answer, ToolBatch(frame_, controls_, directives_).refuse(answer.tool_calls, kind, why, by));
}

// What the model said, with its calls as hooks left them, and their results: all of it or nothing is in the history.
void AgentRun::say(const ModelAnswer& answer, std::vector<ToolRecord> records) {
  forget_changed(frame_.result.logprobs, answer.tool_calls, records);
  frame_.say(answer_message(answer.content, answer.reasoning, calls_of(records)));
  for (const ToolRecord& record : records) {
    frame_.say(result_message({record.call.id, record.call.name, record.result}));
  }
  std::ranges::move(records, std::back_inserter(frame_.result.tool_calls));
  frame_.commit();
}

void AgentRun::end_iteration(bool goes_on) {
  in_iteration_ = false;
  const bool success = !goes_on && frame_.result.status.ok() && frame_.result.finish == RunFinish::kComplete;
  const Outcome outcome = frame_.dispatcher.fire(LH_HOOK_ON_ITERATION_END, frame_.scope_now(), [&](std::string& out) {
    Json counts = Json::object();
    for (size_t i = records_before_; i < frame_.result.tool_calls.size(); ++i) {
      Json& count = counts[frame_.result.tool_calls[i].call.name];
      count = count.is_null() ? 1 : count.get<int>() + 1;
    }
    append_members(out, {{"iteration", frame_.scope.iteration},
                         {"status", goes_on   ? "running"
                                    : success ? "success"
                                              : "failure"},
                         {"tool_call_counts", std::move(counts)},
                         {"task_completed", success},
                         {"output", frame_.result.text}});
  });
  keep(frame_.result.decisions, outcome->decision);
  const Decision& decision = outcome->decision;
  if (decision.action == Action::kCancelled && decision.decided_by && (goes_on || success)) {
    frame_.halt({decision.decided_by->name, decision.reason.value_or("")});
  }
}

void AgentRun::end_dry_run() {
  static_cast<void>(frame_.dispatcher.fire(LH_HOOK_ON_DRY_RUN, frame_.closing_scope(), [&](std::string& out) {
    Json tools = Json::array();
    for (const ToolRecord& record : frame_.result.tool_calls) {
      if (std::ranges::find(tools, Json(record.call.name)) == tools.end()) tools.push_back(record.call.name);
    }
    const auto above = [&](size_t tool_count, int32_t iterations) {
      return tools.size() > tool_count || frame_.result.iterations > iterations;
    };
    const std::string cost = above(10, 5) ? "high" : above(5, 3) ? "medium" : "low";
    append_members(
        out, {{"planned_steps", frame_.planned_steps}, {"tools_used", std::move(tools)}, {"estimated_cost", cost}});
  }));
}

void AgentRun::end_loop() {
  if (frame_.above == nullptr) frame_.session.inbox().put_back();  // as it was said: hooks hear it again
  frame_.dialogue.set_said({});
  const bool complete = frame_.result.finish == RunFinish::kComplete;
  if (frame_.state == LoopState::kIdle) return;  // there was no memory to begin with
  frame_.move_to(!frame_.result.status.ok() ? LoopState::kError
                 : complete                 ? LoopState::kComplete
                                            : LoopState::kInterrupted);
  if (frame_.dry && frame_.above == nullptr) end_dry_run();
  const auto took = std::chrono::steady_clock::now() - start_;
  static_cast<void>(frame_.dispatcher.fire(LH_HOOK_ON_LOOP_END, frame_.closing_scope(), [&](std::string& out) {
    const auto why = reason();
    append_members(out, {{"final_state", loop_state_name(frame_.state)},
                         {"reason", why ? Json(*why) : Json()},
                         {"iterations", frame_.result.iterations},
                         {"response", frame_.result.text},
                         {"usage", to_json(frame_.result.usage)},
                         {"duration_ms", std::chrono::duration<double, std::milli>(took).count()}});
  }));
  frame_.move_to(LoopState::kIdle);
}

std::optional<std::string> AgentRun::reason() const {
  if (!frame_.result.status.ok()) return frame_.result.status.message();
  if (frame_.result.halt) return frame_.result.halt->reason;
  if (frame_.result.cancel) return frame_.result.cancel->reason;
  if (!frame_.result.limit.empty()) return frame_.result.limit;
  return std::nullopt;
}

}  // namespace lh
