// Carries out plans: tool calls and delegations, each with its usual hooks. Must not: depend on the author of the plan.
#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "agent/delegation/child_runs.h"
#include "agent/delegation/plan.h"
#include "agent/run/run_context.h"
#include "agent/tools/directive_handler.h"
#include "agent/tools/own_tools.h"

namespace lh {

class PlanRunner {
 public:
  // All references outlive it. `outputs`: of steps of the plan that this one is a step of, by name.
  PlanRunner(RunContext& run, OwnTools& own_tools, DirectiveHandler& directives, ChildRuns& children,
             std::map<std::string, std::string> outputs = {})
      : run_(run), own_tools_(own_tools), directives_(directives), children_(children), outputs_(std::move(outputs)) {
    run_.transcript.begin_plan();
  }
  ~PlanRunner() { run_.transcript.end_plan(); }
  PlanRunner(const PlanRunner&) = delete;
  PlanRunner& operator=(const PlanRunner&) = delete;

  // Fires ON_PLAN_EXECUTION. The text has the end of the plan and the outcome of each step. Tool calls of steps are
  // added to `records`.
  [[nodiscard]] OwnToolAnswer run(Plan plan, std::vector<ToolRecord>& records);

 private:
  [[nodiscard]] OwnToolAnswer carry_out(Plan plan, std::vector<ToolRecord>& records, size_t& succeeded);

  struct Outcome {
    bool ran = false;
    bool success = false;
    std::string output;
    Json effective;  // the members of the step that hooks have changed; null: none
  };
  [[nodiscard]] std::vector<Outcome> run_steps(const Plan& plan, std::vector<ToolRecord>& records);
  [[nodiscard]] Outcome run_one(const PlanStep& step, std::vector<ToolRecord>& records);
  [[nodiscard]] std::vector<Outcome> run_at_once(const std::vector<PlanStep>& steps, std::vector<ToolRecord>& records);
  [[nodiscard]] std::vector<Outcome> call_tools(const std::vector<const PlanStep*>& steps,
                                                std::vector<ToolRecord>& records);
  // Returns the text with the results of earlier steps in place of ${name}.
  [[nodiscard]] std::string filled(const std::string& text) const;
  [[nodiscard]] Json filled(const Json& value) const;

  RunContext& run_;
  OwnTools& own_tools_;
  DirectiveHandler& directives_;
  ChildRuns& children_;
  std::map<std::string, std::string> outputs_;
};
static_assert(!std::is_copy_constructible_v<PlanRunner>);

}  // namespace lh
