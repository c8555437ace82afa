#include "agent/setup/control_tools.h"

#include <utility>

namespace lh {
namespace {

Json text(const char* description) { return {{"type", "string"}, {"description", description}}; }

Json integer(const char* description) {
  return {{"type", "integer"}, {"minimum", 0}, {"maximum", INT32_MAX}, {"description", description}};
}

Json object(Json properties, std::vector<std::string> required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

// One of several names, with what each is for.
template <typename Named>
Json choice(const std::vector<Named>& all, std::string description) {
  Json names = Json::array();
  for (const Named& one : all) {
    names.push_back(one.name);
    if (!one.description.empty()) description += "; " + one.name + ": " + one.description;
  }
  return {{"type", "string"}, {"enum", std::move(names)}, {"description", std::move(description)}};
}

using Make = std::shared_ptr<const AgentTool> (*)(const SessionSetup& setup);

std::shared_ptr<const AgentTool> complete(const SessionSetup& /*setup*/) {
  return AgentTool::control("complete",
                            "Ends the work. Call it when everything is done, with a summary of what was done.",
                            object({{"summary", text("What was done, and what came of it.")}}, {"summary"}));
}

std::shared_ptr<const AgentTool> delegate(const SessionSetup& setup) {
  return AgentTool::control(
      "delegate", "Has another agent do a task, and gives its summary.",
      object({{"tier", choice(setup.tiers, "Who does it")},
              {"task", text("What is to be done, with all that the other agent must know.")},
              {"resume", text("Name of an earlier conversation with that agent, to go on with it.")}},
             {"tier", "task"}));
}

std::shared_ptr<const AgentTool> pipeline(const SessionSetup& setup) {
  const Json stage =
      object({{"tier", choice(setup.tiers, "Who does it")}, {"task", text("Its part of the task.")}}, {"tier"});
  return AgentTool::control(
      "pipeline", "Has several agents work on a task in turn, each with what the one before has made.",
      object({{"task", text("What is to be done, with all that the other agents must know.")},
              {"stages", {{"type", "array"}, {"items", stage}, {"description", "The agents, in order."}}}},
             {"task", "stages"}));
}

std::shared_ptr<const AgentTool> plan(const SessionSetup& setup) {
  Json properties = {{"name", text("Name of the step.")},
                     {"tool", text("A tool to call, or")},
                     {"args", {{"type", "object"}, {"description", "Its arguments."}}}};
  if (!setup.tiers.empty()) {
    properties["tier"] = choice(setup.tiers, "Who does a task");
    properties["task"] = text("The task, with all that the other agent must know.");
  }
  const Json flow = {{"type", "string"},
                     {"enum", Json::array({"sequence", "parallel", "fallback"})},
                     {"description",
                      "sequence: one after another, until one fails; parallel: at once, most must succeed; "
                      "fallback: one after another, until one succeeds."}};
  const Json inner = {{"type", "array"}, {"items", object(properties, {"name"})}, {"description", "Its steps."}};
  properties["flow"] = {{"type", "string"}, {"enum", flow["enum"]}, {"description", "A plan of its own, or"}};
  properties["steps"] = inner;
  const Json step = object(std::move(properties), {"name"});
  return AgentTool::control(
      "plan",
      "Carries out several steps. In the texts of a step, ${name} stands for what the earlier step of that name gave.",
      object({{"flow", flow}, {"steps", {{"type", "array"}, {"items", step}, {"description", "The steps, in order."}}}},
             {"flow", "steps"}));
}

std::shared_ptr<const AgentTool> todo(const SessionSetup& /*setup*/) {
  const Json item =
      object({{"content", text("What is to be done.")},
              {"status", {{"type", "string"}, {"enum", Json::array({"pending", "in_progress", "completed"})}}}},
             {"content", "status"});
  return AgentTool::control(
      "todo", "Sets the list of what is to be done, in place of the one before.",
      object({{"todos", {{"type", "array"}, {"items", item}, {"description", "The whole list."}}}}, {"todos"}));
}

std::shared_ptr<const AgentTool> prune_context(const SessionSetup& /*setup*/) {
  return AgentTool::control(
      "prune_context", "Shortens earlier results of tools that are not needed any more. At least one of the arguments.",
      object({{"tool", text("Results of this tool only.")},
              {"ids", {{"type", "array"}, {"items", {{"type", "string"}}}, {"description", "Ids of calls."}}},
              {"keep_last", integer("How many of the newest results stay.")}},
             {}));
}

std::shared_ptr<const AgentTool> phase_change(const SessionSetup& setup) {
  return AgentTool::control("phase_change", "Goes over to another phase of the work.",
                            object({{"phase", choice(setup.phases, "The phase")}}, {"phase"}));
}

std::shared_ptr<const AgentTool> context_inspect(const SessionSetup& /*setup*/) {
  return AgentTool::control("context_inspect", "Reads a result again that was shortened.",
                            object({{"id", text("Id of the call, as the shortened result names it.")},
                                    {"offset", integer("Byte to begin at.")}},
                                   {"id"}));
}

constexpr std::pair<std::string_view, Make> kAll[] = {{"complete", complete},
                                                      {"delegate", delegate},
                                                      {"pipeline", pipeline},
                                                      {"plan", plan},
                                                      {"todo", todo},
                                                      {"prune_context", prune_context},
                                                      {"phase_change", phase_change},
                                                      {"context_inspect", context_inspect}};

}  // namespace

Result<AgentTools> make_control_tools(const SessionSetup& setup) {
  AgentTools tools;
  for (const std::string& name : setup.control_tools) {
    const auto wrong = [&name](const std::string& why) {
      return Status(Code::kInvalidArgument, "control_tools has \"" + name + "\", " + why);
    };
    const auto* const found = std::ranges::find(kAll, name, &std::pair<std::string_view, Make>::first);
    if (found == std::end(kAll)) return wrong("which is none");
    if ((name == "delegate" || name == "pipeline") && setup.tiers.empty()) return wrong("and there are no tiers");
    if (name == "phase_change" && setup.phases.empty()) return wrong("and there are no phases");
    tools.push_back(found->second(setup));
  }
  return tools;
}

}  // namespace lh
