// A plan: steps in a row, at once, or until one succeeds. Must not: carry it out (plan_runner.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/setup/tier.h"
#include "base/json/json.h"
#include "base/status.h"

namespace lh {

struct Plan;

// One of a tool call, a task for a tier, and a plan.
struct PlanStep {
  std::string name;
  std::string tool;
  Json args = Json::object();  // of the tool
  std::string tier;
  std::string task;
  std::shared_ptr<const Plan> plan;
};

struct Plan {
  enum class Flow : uint8_t { kSequence, kParallel, kFallback };
  Flow flow = Flow::kSequence;
  std::vector<PlanStep> steps;
};

[[nodiscard]] std::string_view flow_name(Plan::Flow flow);

// {"flow", "steps": [{"name"?, "tool", "args"?} | {"name"?, "tier", "task"} | {"name"?, "flow", "steps"}]}; `what`
// names it. Steps without a name are numbered from 1. Errors: kInvalidArgument, naming the step: no steps, an unknown
// kind, a duplicate name, nested too deep.
[[nodiscard]] Result<Plan> read_plan(const Json& json, const std::string& what);

// Checks that `setup`, if it has tiers, has those that the plan names. Errors: kInvalidArgument, naming the step.
[[nodiscard]] Status check_plan(const Plan& plan, const SessionSetup& setup, const std::string& what);

[[nodiscard]] Json to_json(const std::vector<PlanStep>& steps);

}  // namespace lh
