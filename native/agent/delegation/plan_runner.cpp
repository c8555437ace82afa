#include "agent/delegation/plan_runner.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/delegation/delegation.h"
#include "agent/permissions/call_key.h"
#include "agent/run/run_trace.h"
#include "agent/tools/tool_batch.h"
#include "base/text/names.h"
#include "generation/answer_messages.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {

OwnToolAnswer PlanRunner::run(Plan plan, std::vector<ToolRecord>& records) {
  const Trace::Span span = begin_plan(run_, flow_name(plan.flow), plan.steps.size());
  size_t succeeded = 0;
  OwnToolAnswer answer;
  {
    const InActivity inside(run_.scope, span.number, run_.scope.tool_call_id);
    answer = carry_out(std::move(plan), records, succeeded);
  }
  end_plan(run_, span, succeeded, answer.kind);
  return answer;
}

OwnToolAnswer PlanRunner::carry_out(Plan plan, std::vector<ToolRecord>& records, size_t& succeeded) {
  const auto outcome = run_.ask<points::OnPlanExecution>([&](const auto& context) {
    Json names = Json::array();
    for (const PlanStep& step : plan.steps) names.push_back(step.name);
    context({.flow = flow_name(plan.flow), .step_count = plan.steps.size(), .step_names = names, .steps = plan.steps});
  });
  if (auto refusal = refusal_of(outcome)) return {refusal->kind, std::move(refusal->told), std::move(refusal->by)};
  const auto changed_steps = outcome.changes().steps();
  if (changed_steps) {
    auto changed = read_plan({{"flow", flow_name(plan.flow)}, {"steps", *changed_steps}}, "plan");
    if (!changed.ok()) {
      const std::string& why = changed.status().message();
      run_.dispatcher.error(run_.scope, code_name(Code::kHookBadAnswer),
                            "a hook answered " + shown_point("PLAN_EXECUTION") + " with steps that are none: " + why,
                            "plan", true);
      return {ResultKind::kError, "error: after hooks changed it: " + why, ""};
    }
    plan = *std::move(changed);
  }
  if (run_.dry) {
    run_.planned_steps += static_cast<int32_t>(plan.steps.size());
    return {ResultKind::kOk, "dry run: the plan was not run", ""};
  }
  Json steps = to_json(plan.steps);
  const std::vector<Outcome> outcomes = run_steps(plan, records);
  succeeded = static_cast<size_t>(std::ranges::count_if(outcomes, &Outcome::success));
  const bool success = plan.flow == Plan::Flow::kSequence   ? succeeded == plan.steps.size()
                       : plan.flow == Plan::Flow::kFallback ? succeeded > 0
                                                            : 2 * succeeded > plan.steps.size();
  std::string text = "plan " + std::string(success ? "succeeded" : "failed") + ": " + std::to_string(succeeded) +
                     " of " + std::to_string(plan.steps.size()) + " steps";
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const char* const how = !outcomes[i].ran ? "not run" : outcomes[i].success ? "done" : "failed";
    text += "\n[" + plan.steps[i].name + ": " + how + "]";
    if (outcomes[i].ran) text += "\n" + outcomes[i].output;
  }
  OwnToolAnswer answer{success ? ResultKind::kOk : ResultKind::kError, std::move(text), "", {}};
  bool changed = static_cast<bool>(changed_steps);
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].effective.is_null()) continue;
    steps[i].update(outcomes[i].effective);
    changed = true;
  }
  if (changed) answer.args = Json{{"flow", flow_name(plan.flow)}, {"steps", std::move(steps)}};
  return answer;
}

std::vector<PlanRunner::Outcome> PlanRunner::run_steps(const Plan& plan, std::vector<ToolRecord>& records) {
  if (plan.flow == Plan::Flow::kParallel) return run_at_once(plan.steps, records);
  std::vector<Outcome> outcomes(plan.steps.size());
  const bool ends_it = plan.flow == Plan::Flow::kFallback;  // the first of this success is the last step
  for (size_t i = 0; i < plan.steps.size() && !run_.work.cancel.cancelled(); ++i) {
    outcomes[i] = run_one(plan.steps[i], records);
    outputs_[plan.steps[i].name] = outcomes[i].output;
    if (outcomes[i].success == ends_it) break;
  }
  return outcomes;
}

PlanRunner::Outcome PlanRunner::run_one(const PlanStep& step, std::vector<ToolRecord>& records) {
  if (!step.tool.empty()) return call_tools({&step}, records).front();
  OwnToolAnswer answer = step.plan != nullptr
                             ? PlanRunner(run_, own_tools_, directives_, children_, outputs_).run(*step.plan, records)
                             : Delegation(run_, children_).step(step.tier, filled(step.task));
  return {true, answer.succeeded(), std::move(answer.text), std::move(answer.args).value_or(Json())};
}

// Tools at once, then tiers at once, then plans in their order.
std::vector<PlanRunner::Outcome> PlanRunner::run_at_once(const std::vector<PlanStep>& steps,
                                                         std::vector<ToolRecord>& records) {
  std::vector<Outcome> outcomes(steps.size());
  std::vector<const PlanStep*> tools;
  std::vector<std::pair<std::string, std::string>> tasks;
  for (const PlanStep& step : steps) {
    if (!step.tool.empty()) tools.push_back(&step);
    if (!step.tier.empty()) tasks.emplace_back(step.tier, filled(step.task));
  }
  auto called = call_tools(tools, records);
  auto delegated = Delegation(run_, children_).steps(tasks);
  auto next_call = called.begin();
  auto next_task = delegated.begin();
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].tool.empty()) {
      outcomes[i] = std::move(*next_call++);
    } else if (!steps[i].tier.empty()) {
      outcomes[i] = {true, next_task->succeeded(), std::move(next_task->text),
                     std::move(next_task->args).value_or(Json())};
      ++next_task;
    } else if (!run_.work.cancel.cancelled()) {
      outcomes[i] = run_one(steps[i], records);
    }
  }
  return outcomes;
}

std::vector<PlanRunner::Outcome> PlanRunner::call_tools(const std::vector<const PlanStep*>& steps,
                                                        std::vector<ToolRecord>& records) {
  std::vector<ToolCall> calls;
  for (const PlanStep* step : steps) calls.push_back({"", step->tool, filled(step->args)});
  number_calls(calls);
  ToolBatch batch(run_, own_tools_, directives_);
  batch.decide(calls);
  std::vector<ToolRecord> ended = batch.run();
  std::vector<Outcome> outcomes;
  for (size_t i = 0; i < ended.size(); ++i) {
    const ToolRecord& record = ended[i];
    const bool same = call_key(record.call) == call_key(calls[i]);
    outcomes.push_back({true, !record.is_error, record.result,
                        same ? Json() : Json{{"tool", record.call.name}, {"args", record.call.args}}});
  }
  std::ranges::move(ended, std::back_inserter(records));
  return outcomes;
}

// Fills in all places in one pass, so that inserted text is never read as a place. Inserts at most a megabyte.
std::string PlanRunner::filled(const std::string& text) const {
  constexpr size_t kMost = size_t{1} << 20;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t mark = text.find("${", at);
    const size_t end = mark == std::string::npos ? mark : text.find('}', mark);
    if (end == std::string::npos) return out + text.substr(at);
    const auto output = outputs_.find(text.substr(mark + 2, end - mark - 2));
    const bool fits = output != outputs_.end() && out.size() + output->second.size() <= kMost;
    out += text.substr(at, mark - at);
    out += fits ? output->second : text.substr(mark, end + 1 - mark);
    at = end + 1;
  }
  return out;
}

Json PlanRunner::filled(const Json& value) const {
  if (value.is_string()) return filled(value.get<std::string>());
  if (!value.is_structured()) return value;
  Json out = value;
  for (Json& item : out) item = filled(item);
  return out;
}

}  // namespace lh
