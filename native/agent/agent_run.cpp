#include "agent/agent_run.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "agent/context_assembly.h"
#include "agent/session.h"
#include "generation/answer_messages.h"
#include "generation/conversation_json.h"
#include "generation/decision_log.h"

namespace lh {
namespace {

Json null_if_empty(const std::string& text) { return text.empty() ? Json() : Json(text); }

std::vector<ToolCall> calls_of(const std::vector<ToolRecord>& records) {
  std::vector<ToolCall> calls;
  for (const ToolRecord& record : records) calls.push_back(record.call);
  return calls;
}

}  // namespace

AgentRun::AgentRun(Session& session, const Dispatcher& dispatcher, ModelUse model, Scope scope, const Work& work)
    : session_(session),
      dispatcher_(dispatcher),
      model_(std::move(model)),
      work_(work),
      scope_(std::move(scope)),
      limits_(session.setup()) {
  scope_.cancel = &work_.cancel;
  scope_.errors = &errors_;
}

RunResult AgentRun::run(const RunInput& input) && {
  params_ = input.params.value_or(session_.setup().sampling);
  messages_ = session_.history();
  known_ = messages_.size();
  if (!take_input(input.content)) return std::move(result_);
  // One of the places where exceptions stop: a loop that has begun ends, and says so.
  try {
    begin_loop();
    loop();
  } catch (const std::exception& error) {
    fail(Status(Code::kInternal, error.what()), "run");
    if (in_iteration_) end_iteration(false);
  }
  end_loop();
  return std::move(result_);
}

void AgentRun::begin_loop() {
  move_to(LoopState::kPlanning);
  static_cast<void>(dispatcher_.fire(LH_HOOK_ON_LOOP_START, scope_, [&](std::string& out) {
    append_members(out, {{"messages", to_json(messages_)},
                         {"message_count", messages_.size()},
                         {"delegation_depth", scope_.depth},
                         {"tier", null_if_empty(scope_.tier)}});
  }));
  move_to(LoopState::kExecuting);
}

void AgentRun::fail(Status status, const char* where) {
  result_.status = std::move(status);
  dispatcher_.error(scope_, code_name(result_.status.code()), result_.status.message(), where, false);
}

bool AgentRun::take_input(std::string content) {
  const Outcome outcome = dispatcher_.fire(LH_HOOK_ON_USER_MESSAGE, scope_, [&](std::string& out) {
    append_members(out, {{"content", content}, {"tier", null_if_empty(scope_.tier)}, {"queued", false}});
  });
  keep(result_.decisions, outcome->decision);
  const Decision& decision = outcome->decision;
  if (decision.action == Action::kCancelled && decision.decided_by) {
    halted({decision.decided_by->name, decision.reason.value_or("")});
    return false;
  }
  if (work_.cancel.cancelled()) {
    cancelled();
    return false;
  }
  if (outcome->changes.contains("content")) content = outcome->changes["content"].get<std::string>();
  messages_.push_back(user_message(std::move(content)));
  return true;
}

void AgentRun::loop() {
  for (bool goes_on = true; goes_on;) {
    if (work_.cancel.cancelled()) return cancelled();
    if (result_.iterations == session_.setup().max_iterations) {
      result_.finish = RunFinish::kLimit;
      result_.limit = "max_iterations";
      return;
    }
    in_iteration_ = true;
    scope_.iteration = ++result_.iterations;
    session_.count_iteration();
    records_before_ = result_.tool_calls.size();
    result_.text.clear();
    result_.reasoning.clear();
    if (work_.events.wanted()) work_.events.emit(IterationEvent{scope_.iteration});
    static_cast<void>(dispatcher_.fire(LH_HOOK_ON_LOOP_ITERATION, scope_, [&](std::string& out) {
      append_members(out, {{"goal", messages_[known_]->content},
                           {"iteration", scope_.iteration},
                           {"max_iterations", session_.setup().max_iterations},
                           {"state", loop_state_name(state_)},
                           {"consecutive_errors", errors_.count.load()}});
    }));
    goes_on = iterate();
    end_iteration(goes_on);
    goes_on = goes_on && !result_.halt;
  }
}

ModelRequest AgentRun::request() {
  ModelRequest request;
  const std::string system = session_.system_prompt(scope_, result_.decisions);
  if (!system.empty()) {
    Message message;
    message.role = Role::kSystem;
    message.content = system;
    request.messages.push_back(std::make_shared<const Message>(std::move(message)));
  }
  const Messages shown = with_users_joined(messages_);
  request.messages.insert(request.messages.end(), shown.begin(), shown.end());
  request.tools = session_.shown_tools();
  request.params = params_;
  return request;
}

// False: no model call is made.
bool AgentRun::assemble(ModelRequest& request) {
  Assembled assembled = assemble_context(dispatcher_, scope_, *model_.generator, session_.setup().injection_reserve,
                                         request, result_.decisions);
  if (assembled.stopped) {
    halted(*std::move(assembled.stopped));
  } else if (assembled.cancelled) {
    cancelled();
  } else if (!assembled.status.ok()) {
    fail(std::move(assembled.status), "assemble");
  } else {
    std::ranges::move(assembled.durable, std::back_inserter(messages_));
    return true;
  }
  return false;
}

bool AgentRun::iterate() {
  ModelRequest asked = request();
  if (!assemble(asked)) return false;
  ModelAnswer answer = ModelCall(dispatcher_, model_, scope_, std::move(asked), work_).run();
  result_.usage += answer.usage;
  std::ranges::move(answer.decisions, std::back_inserter(result_.decisions));
  result_.text = answer.content;
  result_.reasoning = answer.reasoning;
  if (!answer.status.ok()) {
    result_.status = answer.status;
    return false;
  }
  if (answer.cancel) {
    const bool by_caller = work_.cancel.cancelled() && answer.cancel->by == kCaller;
    refuse_tools(answer, by_caller ? ResultKind::kCancelled : ResultKind::kRejectedHook,
                 "not run: " + answer.cancel->reason, by_caller ? "" : answer.cancel->by);
    if (by_caller) {
      cancelled();
    } else {
      halted(*std::move(answer.cancel));
    }
    return false;
  }
  if (answer.halt) {
    refuse_tools(answer, ResultKind::kRejectedHook, "refused: " + answer.halt->reason, answer.halt->by);
    halted(*std::move(answer.halt));
    return false;
  }
  if (answer.finish_reason == FinishReason::kLength) {
    refuse_tools(answer, ResultKind::kRejectedLimit, "not run: the message was cut off", "");
    result_.finish = RunFinish::kLimit;
    result_.limit = "max_tokens";
    return false;
  }
  if (answer.tool_calls.empty()) {
    say(answer, {});
    return false;
  }
  return run_tools(answer);
}

bool AgentRun::run_tools(const ModelAnswer& answer) {
  move_to(LoopState::kWaitingTool);
  ToolBatch batch(dispatcher_, scope_, work_, session_.tools(), session_.setup().permissions, session_.setup(), limits_,
                  result_.decisions);
  std::optional<std::string> summary;  // of a completion that was accepted
  std::string rejection;
  const auto verify = [&](const std::string& given, const std::vector<ToolRecord>& records) {
    ToolBatch::Verdict verdict = verify_completion(given, records);
    if (verdict.is == ToolBatch::Verdict::Is::kAccepted) summary = given;
    if (verdict.is == ToolBatch::Verdict::Is::kRejected) rejection = verdict.why;
    return verdict;
  };
  say(answer, batch.run(answer.tool_calls, verify));
  if (work_.cancel.cancelled()) {
    cancelled();
    return false;
  }
  if (summary) {
    result_.text = *std::move(summary);
    return false;
  }
  if (!rejection.empty() && !take_rejection(rejection)) return false;
  move_to(LoopState::kExecuting);
  return true;
}

ToolBatch::Verdict AgentRun::verify_completion(const std::string& summary, const std::vector<ToolRecord>& records) {
  using Is = ToolBatch::Verdict::Is;
  if (state_ != LoopState::kVerifying) move_to(LoopState::kVerifying);
  const Outcome outcome = dispatcher_.fire(LH_HOOK_ON_COMPLETE, scope_, [&](std::string& out) {
    Json results = Json::array();
    for (const auto* some : {&std::as_const(result_.tool_calls), &records}) {
      for (const ToolRecord& record : *some) {
        results.push_back({{"name", record.call.name}, {"content", record.result}});
      }
    }
    append_members(out, {{"summary", summary},
                         {"tier", null_if_empty(scope_.tier)},
                         {"iteration", scope_.iteration},
                         {"tool_results", std::move(results)}});
  });
  keep(result_.decisions, outcome->decision);
  const Decision& decision = outcome->decision;
  if (decision.action != Action::kCancelled) return {};
  const std::string why = decision.reason.value_or("");
  return decision.decided_by ? ToolBatch::Verdict{Is::kRejected, why, decision.decided_by->name}
                             : ToolBatch::Verdict{Is::kCancelled, why, ""};
}

// False: it was one too many.
bool AgentRun::take_rejection(const std::string& why) {
  if (++rejections_ > session_.setup().max_completion_rejections) {
    result_.finish = RunFinish::kLimit;
    result_.limit = "max_completion_rejections";
    return false;
  }
  messages_.push_back(user_message("[CITATION VALIDATION] " + why));
  commit();
  return true;
}

// Their results pass the hooks as those of all others do.
void AgentRun::refuse_tools(const ModelAnswer& answer, ResultKind kind, const std::string& why, const std::string& by) {
  if (answer.messages.empty()) return;
  ToolBatch batch(dispatcher_, scope_, work_, session_.tools(), session_.setup().permissions, session_.setup(), limits_,
                  result_.decisions);
  say(answer, batch.refuse(answer.tool_calls, kind, why, by));
}

// What the model said, with its calls as hooks left them, and their results: all of it or nothing is in the history.
void AgentRun::say(const ModelAnswer& answer, std::vector<ToolRecord> records) {
  messages_.push_back(answer_message(answer.content, answer.reasoning, calls_of(records)));
  for (const ToolRecord& record : records) {
    messages_.push_back(result_message({record.call.id, record.call.name, record.result}));
  }
  std::ranges::move(records, std::back_inserter(result_.tool_calls));
  commit();
}

void AgentRun::commit() {
  session_.set_history(messages_);
  result_.messages.assign(messages_.begin() + static_cast<std::ptrdiff_t>(known_), messages_.end());
}

void AgentRun::end_iteration(bool goes_on) {
  in_iteration_ = false;
  const bool success = !goes_on && result_.status.ok() && result_.finish == RunFinish::kComplete;
  const Scope scope = work_.cancel.cancelled() ? closing_scope() : scope_;
  const Outcome outcome = dispatcher_.fire(LH_HOOK_ON_ITERATION_END, scope, [&](std::string& out) {
    Json counts = Json::object();
    for (size_t i = records_before_; i < result_.tool_calls.size(); ++i) {
      Json& count = counts[result_.tool_calls[i].call.name];
      count = count.is_null() ? 1 : count.get<int>() + 1;
    }
    append_members(out, {{"iteration", scope_.iteration},
                         {"status", goes_on   ? "running"
                                    : success ? "success"
                                              : "failure"},
                         {"tool_call_counts", std::move(counts)},
                         {"task_completed", success},
                         {"output", result_.text}});
  });
  keep(result_.decisions, outcome->decision);
  const Decision& decision = outcome->decision;
  if (decision.action == Action::kCancelled && decision.decided_by && (goes_on || success)) {
    halted({decision.decided_by->name, decision.reason.value_or("")});
  }
}

void AgentRun::end_loop() {
  const bool complete = result_.finish == RunFinish::kComplete;
  if (state_ == LoopState::kIdle) return;  // there was no memory to begin with
  move_to(!result_.status.ok() ? LoopState::kError : complete ? LoopState::kComplete : LoopState::kInterrupted);
  const auto took = std::chrono::steady_clock::now() - start_;
  static_cast<void>(dispatcher_.fire(LH_HOOK_ON_LOOP_END, closing_scope(), [&](std::string& out) {
    const auto why = reason();
    append_members(out, {{"final_state", loop_state_name(state_)},
                         {"reason", why ? Json(*why) : Json()},
                         {"iterations", result_.iterations},
                         {"response", result_.text},
                         {"usage", to_json(result_.usage)},
                         {"duration_ms", std::chrono::duration<double, std::milli>(took).count()}});
  }));
  move_to(LoopState::kIdle);
}

void AgentRun::move_to(LoopState state) {
  if (!may_move(state_, state)) {
    throw std::logic_error("the loop cannot go from " + std::string(loop_state_name(state_)) + " to " +
                           std::string(loop_state_name(state)));
  }
  const LoopState previous = std::exchange(state_, state);
  if (work_.events.wanted()) work_.events.emit(StateEvent{loop_state_name(previous), loop_state_name(state)});
  const Scope scope = work_.cancel.cancelled() ? closing_scope() : scope_;
  static_cast<void>(dispatcher_.fire(LH_HOOK_ON_STATE_CHANGE, scope, [&](std::string& out) {
    append_members(out, {{"previous", loop_state_name(previous)}, {"current", loop_state_name(state)}});
  }));
}

void AgentRun::cancelled() {
  result_.finish = RunFinish::kCancelled;
  result_.cancel = Stop{kCaller, work_.cancel.reason()};
}

void AgentRun::halted(Stop stop) {
  result_.finish = RunFinish::kHalted;
  result_.halt = std::move(stop);
}

std::optional<std::string> AgentRun::reason() const {
  if (!result_.status.ok()) return result_.status.message();
  if (result_.halt) return result_.halt->reason;
  if (result_.cancel) return result_.cancel->reason;
  if (!result_.limit.empty()) return result_.limit;
  return std::nullopt;
}

// Of hooks that hear of an end, whoever brought it about: only the end of the engine cuts them off.
Scope AgentRun::closing_scope() const {
  Scope scope = scope_;
  scope.cancel = &work_.closing;
  return scope;
}

}  // namespace lh
