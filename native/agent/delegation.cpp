#include "agent/delegation.h"

#include <chrono>
#include <iterator>
#include <utility>

#include "agent/agent_run.h"
#include "agent/session.h"
#include "base/unique_id.h"
#include "generation/conversation_json.h"
#include "generation/decision_log.h"

namespace lh {
namespace {

std::string names_of(const std::vector<Tier>& tiers) {
  std::string names;
  for (const Tier& tier : tiers) names += (names.empty() ? "" : ", ") + tier.name;
  return names.empty() ? "none" : names;
}

bool succeeded(const Controls::Answer& answer) {
  return answer.kind == ResultKind::kOk || answer.kind == ResultKind::kOkEmpty;
}

// How a run ended that gave no answer.
std::string how_it_ended(const RunResult& result) {
  if (!result.status.ok()) return result.status.message();
  if (result.halt) return "halted by " + result.halt->by + ": " + result.halt->reason;
  return "it came to the limit " + result.limit;
}

}  // namespace

Controls::Answer Delegation::delegate(const Json& args) {
  return carry_out({args["tier"].get<std::string>(), args["task"].get<std::string>(),
                    args.value("resume", std::string()), "delegate"},
                   true);
}

Controls::Answer Delegation::pipeline(const Json& args) {
  const Json& stages = args["stages"];
  if (stages.empty()) return {ResultKind::kRejectedSchema, "invalid arguments: /stages is empty", ""};
  Controls::Answer last;
  for (size_t i = 0; i < stages.size(); ++i) {
    std::string task = args["task"].get<std::string>();
    if (stages[i].contains("task")) task += "\n\n" + stages[i]["task"].get<std::string>();
    if (i > 0) task += "\n\n[output of " + stages[i - 1]["tier"].get<std::string>() + "]\n" + last.text;
    last = carry_out({stages[i]["tier"].get<std::string>(), std::move(task), "", "pipeline"}, false);
    if (succeeded(last)) continue;
    last.text = "stage " + std::to_string(i + 1) + " of " + std::to_string(stages.size()) + ": " + last.text;
    break;
  }
  return last;
}

Controls::Answer Delegation::carry_out(Task task, bool named) {
  const LoopState before = run_.state;
  if (before != LoopState::kDelegating) run_.move_to(LoopState::kDelegating);
  const auto start = std::chrono::steady_clock::now();
  End end = decide(task);
  const auto took = std::chrono::steady_clock::now() - start;
  Controls::Answer& answer = end.answer;
  const Outcome outcome =
      run_.dispatcher.fire(LH_HOOK_ON_DELEGATE_COMPLETE, run_.closing_scope(), [&](std::string& out) {
        append_members(out, {{"target_tier", task.tier},
                             {"task", task.task},
                             {"success", succeeded(answer)},
                             {"result_kind", result_kind_name(answer.kind)},
                             {"summary", answer.text},
                             {"elapsed_ms", std::chrono::duration<double, std::milli>(took).count()},
                             {"usage", to_json(end.usage)}});
      });
  keep(run_.result.decisions, outcome->decision);
  if (outcome->changes.contains("summary")) answer.text = outcome->changes["summary"].get<std::string>();
  if (named && !end.child.empty()) answer.text += "\n[conversation " + end.child + "]";
  run_.move_to(LoopState::kWaitingTool);
  return std::move(answer);
}

Delegation::End Delegation::decide(Task& task) {
  const Outcome outcome = run_.dispatcher.fire(LH_HOOK_ON_DELEGATE, run_.scope, [&](std::string& out) {
    append_members(
        out, {{"target_tier", task.tier}, {"task", task.task}, {"depth", run_.scope.depth + 1}, {"flow", task.flow}});
  });
  keep(run_.result.decisions, outcome->decision);
  const Decision& decision = outcome->decision;
  if (decision.action == Action::kCancelled) {
    const std::string why = decision.reason.value_or("");
    if (!decision.decided_by) return {{ResultKind::kCancelled, "not run: " + why, ""}, "", {}};
    const std::string& by = decision.decided_by->name;
    return {{ResultKind::kRejectedHook, "blocked by " + by + ": " + why, by}, "", {}};
  }
  const Json& changes = outcome->changes;
  if (changes.contains("target_tier")) task.tier = changes["target_tier"].get<std::string>();
  if (changes.contains("task")) task.task = changes["task"].get<std::string>();
  if (run_.work.cancel.cancelled()) {
    return {{ResultKind::kCancelled, "not run: " + run_.work.cancel.reason(), ""}, "", {}};
  }
  ResultKind kind = ResultKind::kRejectedLimit;
  if (std::string why = refusal(task, kind); !why.empty()) return {{kind, std::move(why), ""}, "", {}};
  End end = run_child(task);
  if (end.answer.kind == ResultKind::kDelegationFailed) {
    ++run_.failed_delegations;
    run_.dispatcher.error(run_.scope, code_name(Code::kDelegationFailed), task.tier + ": " + end.answer.text,
                          "delegate:" + task.tier, true);
  }
  return end;
}

// Why the task is not given; empty: it may be.
std::string Delegation::refusal(const Task& task, ResultKind& kind) const {
  const SessionSetup& setup = run_.session.setup();
  if (setup.find_tier(task.tier) == nullptr) {
    kind = ResultKind::kRejectedSchema;
    return "unknown tier " + task.tier + "; there are: " + names_of(setup.tiers);
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
  for (const RunFrame* one = &run_; one != nullptr; one = one->above) {
    chain = one->scope.tier + " > " + chain;
    if (one->scope.tier == task.tier) return "limit reached: a cycle of tiers, " + chain;
  }
  return "";
}

Delegation::End Delegation::run_child(const Task& task) {
  Session& session = run_.session;
  const auto failed = [](const std::string& why) {
    return End{{ResultKind::kDelegationFailed, "delegation failed: " + why, ""}, "", {}};
  };
  std::string name = task.resume;
  std::shared_ptr<Dialogue> dialogue = session.child(name);
  if (dialogue == nullptr) {
    std::vector<std::string> above = run_.dialogue.above();
    above.push_back(run_.scope.tier);
    dialogue = std::make_shared<Dialogue>(session.setup(), task.tier, Messages(), std::move(above));
    name = session.add_child(task.tier, dialogue);
  }
  auto model = session.models().acquire(dialogue->profile()->model);
  if (!model.ok()) return failed(model.status().message());
  Scope scope;
  scope.run_id = "run-" + unique_id();
  scope.parent_run_id = run_.scope.run_id;
  scope.session_id = run_.scope.session_id;
  scope.model_id = model->id;
  scope.tier = task.tier;
  scope.depth = run_.scope.depth + 1;
  if (run_.work.events.wanted()) run_.work.events.emit(DelegationEvent{task.tier, task.task, name});
  RunResult result =
      AgentRun(session, *dialogue, run_.dispatcher, *std::move(model), std::move(scope), run_.work, &run_)
          .run({task.task, Json::object()});
  run_.result.usage += result.usage;
  std::ranges::move(result.decisions, std::back_inserter(run_.result.decisions));
  End end{{}, name, result.usage};
  if (result.finish == RunFinish::kCancelled) {
    end.answer = {ResultKind::kCancelled, "cancelled: " + result.cancel->reason, ""};
  } else if (!result.status.ok() || result.finish != RunFinish::kComplete) {
    end.answer = failed(how_it_ended(result)).answer;
  } else {
    end.answer = {result.text.empty() ? ResultKind::kOkEmpty : ResultKind::kOk, std::move(result.text), ""};
  }
  return end;
}

}  // namespace lh
