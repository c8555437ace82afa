#include "agent/delegation/delegation.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <system_error>
#include <utility>

#include "agent/run/run_trace.h"
#include "agent/session/session.h"
#include "base/system/unique_id.h"
#include "generation/conversation_json.h"
#include "hooks/calls/operation.h"
#include "hooks/dispatch/decision_log.h"
#include "platform/thread.h"

namespace lh {
namespace {

// The reason why a run gave no answer.
std::string how_it_ended(const RunResult& result) {
  if (!result.status.ok()) return result.status.message();
  if (result.halt) return "halted by " + result.halt->by + ": " + result.halt->reason;
  return "it came to the limit " + result.limit;
}

}  // namespace

OwnToolAnswer Delegation::delegate(const Json& args, bool judged) {
  Job job;
  job.judged = judged;
  job.tier = args["tier"].get<std::string>();
  job.task = args["task"].get<std::string>();
  job.resume = args.value("resume", std::string());
  job.flow = "delegate";
  return carry_out(std::move(job), true);
}

OwnToolAnswer Delegation::pipeline(const Json& args) {
  const Json& stages = args["stages"];
  if (stages.empty()) return {ResultKind::kRejectedSchema, "invalid arguments: /stages is empty", ""};
  constexpr size_t kMostStages = 64;
  if (stages.size() > kMostStages) {
    return {ResultKind::kRejectedSchema, "invalid arguments: /stages has more than " + std::to_string(kMostStages), ""};
  }
  OwnToolAnswer last;
  Json effective = args;  // text that hooks replace is not kept in the recorded call either
  bool changed = false;
  for (size_t i = 0; i < stages.size(); ++i) {
    Job job;
    job.tier = stages[i]["tier"].get<std::string>();
    job.task = args["task"].get<std::string>();
    job.flow = "pipeline";
    if (stages[i].contains("task")) job.task += "\n\n" + stages[i]["task"].get<std::string>();
    if (i > 0) job.task += "\n\n[output of " + stages[i - 1]["tier"].get<std::string>() + "]\n" + last.text;
    last = carry_out(std::move(job), false);
    if (last.args) {
      changed = true;
      effective["stages"][i] = {{"tier", (*last.args)["tier"]}};
      (i == 0 ? effective : effective["stages"][i])["task"] = (*last.args)["task"];
    }
    if (last.succeeded()) continue;
    last.text = "stage " + std::to_string(i + 1) + " of " + std::to_string(stages.size()) + ": " + last.text;
    break;
  }
  last.args = changed ? std::optional(std::move(effective)) : std::nullopt;
  return last;
}

OwnToolAnswer Delegation::step(const std::string& tier, const std::string& task) {
  Job job;
  job.tier = tier;
  job.task = task;
  job.flow = "plan";
  return carry_out(std::move(job), false);
}

std::vector<OwnToolAnswer> Delegation::steps(const std::vector<std::pair<std::string, std::string>>& tasks) {
  std::vector<OwnToolAnswer> answers;
  if (tasks.empty()) return answers;
  enter();
  std::vector<Job> jobs(tasks.size());
  for (size_t i = 0; i < tasks.size(); ++i) {
    jobs[i].tier = tasks[i].first;
    jobs[i].task = tasks[i].second;
    jobs[i].flow = "plan";
    decide(jobs[i]);
  }
  run_all(jobs);
  for (Job& job : jobs) {
    conclude(job, false);
    answers.push_back(std::move(job.answer));
  }
  leave();
  return answers;
}

// Runs several jobs at once: the first on this thread, each other on a separate thread. If a thread cannot start, its
// job runs here.
void Delegation::run_all(std::vector<Job>& jobs) const {
  constexpr size_t kAtOnce = 8;
  for (size_t from = 0; from < jobs.size(); from += kAtOnce) {
    std::vector<Background> others;
    std::vector<Job*> own{&jobs[from]};
    for (size_t i = from + 1; i < std::min(from + kAtOnce, jobs.size()); ++i) {
      try {
        // The thread acts for this run's operation: hooks that it calls hold up the run.
        others.emplace_back([this, &job = jobs[i], work = Operation::current()] {
          const OperationScope doing(work);
          const CancelScope polled(run_.work.cancel);
          run(job);
        });
      } catch (const std::system_error&) {
        own.push_back(&jobs[i]);
      }
    }
    for (Job* job : own) run(*job);
    for (Background& other : others) other.get();
  }
}

void Delegation::enter() {
  if (run_.state != LoopState::kDelegating) run_.move_to(LoopState::kDelegating);
}

void Delegation::leave() { run_.move_to(LoopState::kWaitingTool); }

OwnToolAnswer Delegation::carry_out(Job job, bool named) {
  enter();
  decide(job);
  if (job.judged) run_.transcript.settle_args(args_of(job));
  run(job);
  conclude(job, named);
  leave();
  return std::move(job.answer);
}

void Delegation::name_tier(const Session& session, Json& args) {
  const auto is_text = [&args](const char* key) { return args.contains(key) && args[key].is_string(); };
  if (!args.is_object() || !is_text("tier") || !is_text("resume")) return;
  const auto& resume = args["resume"].get_ref<const std::string&>();
  const auto child = session.child(resume);
  if (child != nullptr && args["tier"] == Session::opened_for(resume)) args["tier"] = child->profile()->tier;
}

void Delegation::decide(Job& job) {
  Json args = args_of(job);
  name_tier(run_.session, args);
  job.changed = args["tier"] != job.tier;
  job.tier = args["tier"].get<std::string>();
  const auto outcome = run_.ask<points::OnDelegate>([&](const auto& context) {
    context({.target_tier = job.tier, .task = job.task, .depth = run_.scope.depth + 1, .flow = job.flow});
  });
  if (auto refusal = refusal_of(outcome)) {
    job.answer = {refusal->kind, std::move(refusal->told), std::move(refusal->by)};
    return;
  }
  const auto tier = outcome.changes().target_tier();
  const auto task = outcome.changes().task();
  if (tier) job.tier = *tier;
  if (task) job.task = *task;
  job.changed = job.changed || tier || task;
  ResultKind kind = ResultKind::kRejectedLimit;
  if (run_.work.cancel.cancelled()) {
    job.answer = {ResultKind::kCancelled, "not run: " + run_.work.cancel.reason(), ""};
  } else if (std::string why = refusal(job, kind); !why.empty()) {
    job.answer = {kind, std::move(why), ""};
  } else if (auto denied = judge(job)) {
    job.answer = {denied->kind, std::move(denied->told), std::move(denied->by)};
  } else {
    prepare(job);
  }
}

// Whichever way a task is handed on, the rules hold of it as of a call of `delegate`, as hooks have left it.
std::optional<CallRefusal> Delegation::judge(const Job& job) {
  if (job.judged && !job.changed) return std::nullopt;
  return check_permission(run_, {"", "delegate", args_of(job)}, nullptr);
}

Json Delegation::args_of(const Job& job) {
  Json args = {{"tier", job.tier}, {"task", job.task}};
  if (!job.resume.empty()) args["resume"] = job.resume;
  return args;
}

// Why the task is not given; empty: it may be.
std::string Delegation::refusal(const Job& task, ResultKind& kind) const {
  const SessionSetup& setup = run_.setup;
  if (setup.find_tier(task.tier) == nullptr) {
    kind = ResultKind::kRejectedSchema;
    return setup.unknown_tier(task.tier);
  }
  if (!task.resume.empty()) {
    const auto child = run_.session.child(task.resume);
    if (child == nullptr || child->profile()->tier != task.tier) {
      kind = ResultKind::kRejectedSchema;
      return "unknown conversation " + task.resume + " with " + task.tier;
    }
  }
  if (run_.scope.depth >= setup.max_delegation_depth) {
    return "limit reached: delegation " + std::to_string(setup.max_delegation_depth) + " deep";
  }
  if (run_.failed_delegations >= setup.max_failed_delegations) {
    return "limit reached: " + std::to_string(run_.failed_delegations) + " failed delegations";
  }
  std::string chain = task.tier;
  for (const RunContext* one = &run_; one != nullptr; one = one->above) {
    chain = one->scope.tier + " > " + chain;
    if (one->scope.tier == task.tier) return "limit reached: a cycle of tiers, " + chain;
  }
  return "";
}

std::vector<std::string> Delegation::tiers_above() const {
  std::vector<std::string> above = run_.dialogue.above();
  above.push_back(run_.scope.tier);
  return above;
}

// The run, which is to begin.
void Delegation::prepare(Job& job) {
  Session& session = run_.session;
  job.child = job.resume;
  job.dialogue = session.child(job.child);
  if (job.dialogue == nullptr) {
    job.dialogue = std::make_shared<Dialogue>(session.setup(), job.tier, Messages(), tiers_above());
    job.child = session.add_child(job.tier, job.dialogue);
  }
  job.taken = job.dialogue->take();
  // Since the rules judged this task, another run may have used the conversation and changed its tier.
  if (job.taken == nullptr || job.dialogue->profile()->tier != job.tier) {
    job.answer = {ResultKind::kRejectedLimit, "limit reached: the conversation " + job.child + " is under way", ""};
    job.child.clear();
    return;
  }
  job.dialogue->add_above(tiers_above());  // a resumed conversation also follows the rules of its new delegators
  job.input = job.task;
  make_run(job);
}

void Delegation::make_run(Job& job) {
  Refusal refused;
  Work loading = run_.work;
  loading.span = run_.scope.span;
  auto model = run_.session.models().acquire(job.dialogue->profile()->model, loading, refused);
  if (!model.ok()) {
    job.child.clear();
    if (refused) job.result.decisions.push_back(*refused);
    if (run_.work.cancel.cancelled()) {
      job.result.finish = RunFinish::kCancelled;
      job.result.cancel = Stop{kCaller, run_.work.cancel.reason()};
    } else {
      job.result.status = model.status();
    }
    job.answer.kind = ResultKind::kDelegationFailed;
    return;
  }
  Scope scope;
  scope.run_id = "run-" + unique_id();
  scope.parent_run_id = run_.scope.run_id;
  scope.session_id = run_.scope.session_id;
  scope.conversation = scope.session_id + "/" + job.child;
  scope.model_id = model->id;
  scope.tier = job.tier;
  scope.depth = run_.scope.depth + 1;
  scope.owners = run_.scope.owners;
  scope.tags = run_.scope.tags;
  scope.span = Trace::next_span();
  if (run_.work.events.wanted()) run_.work.events.emit(DelegationEvent{job.tier, job.task, job.child});
  job.scope = scope;
  job.run = children_.make_child(*job.dialogue, *std::move(model), std::move(scope));
}

void Delegation::run(Job& job) const {
  if (job.run == nullptr) return;
  Trace& trace = run_.dispatcher.trace();
  const Trace::Span span = begin_run(trace, job.scope, {run_.scope.span, run_.scope.tool_call_id, {}});
  job.result = job.run->run(job.input);
  end_run(trace, span, job.scope, job.result);
  job.run.reset();  // its model is given up
  job.ran = true;
}

void Delegation::conclude(Job& job, bool named) {
  OwnToolAnswer& answer = job.answer;
  take_result(job);
  Completed outcome = fire_complete(job);
  while (sent_back(job, outcome)) {
    take_result(job);
    outcome = fire_complete(job);
  }
  if (const auto summary = outcome.changes().summary()) {
    const std::string before = std::exchange(answer.text, *summary);
    if (job.ran) job.dialogue->replace_answer(before, answer.text);
  }
  job.taken.reset();
  if (job.changed) answer.args = args_of(job);
  if (named && !job.child.empty()) answer.text += "\n[conversation " + job.child + "]";
}

bool Delegation::sent_back(Job& job, const Completed& outcome) {
  const auto task = outcome.answers().retry();
  if (!task) return false;
  if (!job.ran || job.result.finish == RunFinish::kCancelled || run_.work.cancel.cancelled()) return false;
  if (job.retries == run_.setup.max_delegation_retries) {
    run_.dispatcher.error(run_.scope, code_name(Code::kRetryLimit),
                          "the hook " + task.by() + " sent the task of " + job.tier + " back more than " +
                              std::to_string(job.retries) + " times; the answer stands",
                          "delegate:" + job.tier, true);
    return false;
  }
  ++job.retries;
  job.answer = {};
  job.result = {};
  job.ran = false;
  job.input = *task;
  make_run(job);
  run(job);
  return true;
}

void Delegation::take_result(Job& job) {
  OwnToolAnswer& answer = job.answer;
  RunResult& result = job.result;
  run_.result.usage += result.usage;
  std::ranges::move(result.decisions, std::back_inserter(run_.result.decisions));
  for (auto* calls : {&result.child_tool_calls, &result.tool_calls}) {
    std::ranges::move(*calls, std::back_inserter(run_.result.child_tool_calls));
  }
  if (result.finish == RunFinish::kCancelled) {
    answer = {ResultKind::kCancelled, "cancelled: " + result.cancel->reason, ""};
  } else if (run_.budget->spent() && result.limit == "max_run_tokens") {
    answer = {ResultKind::kRejectedLimit, "limit reached: the run may generate no more tokens", ""};
  } else if (!result.status.ok() || result.finish != RunFinish::kComplete) {
    answer = {ResultKind::kDelegationFailed, "delegation failed: " + how_it_ended(result), ""};
    ++run_.failed_delegations;
    run_.dispatcher.error(run_.scope, code_name(Code::kDelegationFailed), job.tier + ": " + answer.text,
                          "delegate:" + job.tier, true);
  } else if (job.ran) {
    answer = {result.text.empty() ? ResultKind::kOkEmpty : ResultKind::kOk, std::move(result.text), ""};
  }
}

Delegation::Completed Delegation::fire_complete(const Job& job) {
  const OwnToolAnswer& answer = job.answer;
  const auto took = std::chrono::steady_clock::now() - job.start;
  return run_.ask<points::OnDelegateComplete>(run_.closing_scope(), [&](const auto& context) {
    context({.target_tier = job.tier,
             .task = job.task,
             .success = answer.succeeded(),
             .result_kind = result_kind_name(answer.kind),
             .summary = answer.text,
             .elapsed_ms = std::chrono::duration<double, std::milli>(took).count(),
             .usage = job.result.usage});
  });
}

}  // namespace lh
