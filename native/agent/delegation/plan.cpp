#include "agent/delegation/plan.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "agent/setup/control_tool_table.h"
#include "base/json/object_reader.h"

namespace lh {
namespace {

constexpr int kMostNested = 8;
constexpr size_t kMostSteps = 64;
constexpr std::string_view kFlows[] = {"sequence", "parallel", "fallback"};

Status wrong(const std::string& what) { return {Code::kInvalidArgument, what}; }

Result<Plan> read(const Json& json, const std::string& what, int depth);

Result<PlanStep> read_step(const Json& json, const std::string& what, size_t number, int depth) {
  if (!json.is_object()) return wrong(what + " must be an object");
  const auto has = [&json](const char* key) { return json.contains(key) && !json[key].is_null(); };
  const int kinds = static_cast<int>(has("tool")) + static_cast<int>(has("tier")) + static_cast<int>(has("flow"));
  if (kinds != 1) return wrong(what + " must have one of tool, tier and flow");
  PlanStep step;
  std::optional<Json> args;
  ObjectReader reader(json, what, ObjectReader::Null::kAbsent, Keys::kOfUser);
  reader.text("name", step.name);
  reader.text("tool", step.tool);
  reader.object("args", args);
  reader.text("tier", step.tier);
  reader.text("task", step.task);
  const Json* const flow = reader.value("flow");
  static_cast<void>(reader.value("steps"));
  if (Status status = reader.done(); !status.ok()) return status;
  const ControlToolRow* const control = control_tool_row(step.tool);
  if (control != nullptr && (control->makes_plan || control->ends_run))
    return wrong(what + ".tool must not be " + step.tool);
  if (!step.tier.empty() && step.task.empty()) return wrong(what + ".task is missing");
  if (step.name.empty()) step.name = std::to_string(number);
  step.args = std::move(args).value_or(Json::object());
  if (flow == nullptr || flow->is_null()) return step;
  auto plan = read({{"flow", *flow}, {"steps", json.value("steps", Json())}}, what, depth + 1);
  if (!plan.ok()) return plan.status();
  step.plan = std::make_shared<const Plan>(*std::move(plan));
  return step;
}

Result<Plan> read(const Json& json, const std::string& what, int depth) {
  if (depth > kMostNested) return wrong(what + " is nested deeper than " + std::to_string(kMostNested) + " plans");
  if (!json.is_object()) return wrong(what + " must be an object");
  Plan plan;
  ObjectReader reader(json, what, ObjectReader::Null::kAbsent, Keys::kOfUser);
  reader.choice("flow", plan.flow, kFlows, R"("sequence", "parallel" or "fallback")");
  const Json* const steps = reader.value("steps");
  if (Status status = reader.done(); !status.ok()) return status;
  if (steps == nullptr || !steps->is_array() || steps->empty()) return wrong(what + ".steps must be an array of steps");
  if (steps->size() > kMostSteps) return wrong(what + ".steps has more than " + std::to_string(kMostSteps) + " steps");
  std::set<std::string> names;
  for (size_t i = 0; i < steps->size(); ++i) {
    auto step = read_step((*steps)[i], what + ".steps[" + std::to_string(i) + "]", i + 1, depth);
    if (!step.ok()) return step.status();
    if (!names.insert(step->name).second) return wrong(what + ".steps has two steps named \"" + step->name + "\"");
    plan.steps.push_back(*std::move(step));
  }
  return plan;
}

}  // namespace

std::string_view flow_name(Plan::Flow flow) { return kFlows[static_cast<size_t>(flow)]; }

Result<Plan> read_plan(const Json& json, const std::string& what) { return read(json, what, 0); }

Status check_plan(const Plan& plan, const SessionSetup& setup, const std::string& what) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    const std::string where = what + ".steps[" + std::to_string(i) + "]";
    Status status = step.plan == nullptr ? Status() : check_plan(*step.plan, setup, where);
    if (!setup.tiers.empty() && !step.tier.empty() && !setup.may_be(step.tier))
      status = wrong(where + ".tier: " + setup.unknown_tier(step.tier));
    if (!status.ok()) return status;
  }
  return {};
}

Json to_json(const std::vector<PlanStep>& steps) {
  Json json = Json::array();
  for (const PlanStep& step : steps) {
    Json one = {{"name", step.name}};
    if (!step.tool.empty()) {
      one["tool"] = step.tool;
      one["args"] = step.args;
    } else if (step.plan != nullptr) {
      one["flow"] = flow_name(step.plan->flow);
      one["steps"] = to_json(step.plan->steps);
    } else {
      one["tier"] = step.tier;
      one["task"] = step.task;
    }
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace lh
