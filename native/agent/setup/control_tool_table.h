// The engine's own tools, as models are told of them. Handlers: agent/controls/controls.cpp.
// Generated from native/contract/control_tools.json by scripts/generate-contract.mjs; do not edit.
#pragma once

#include <string_view>

namespace lh {

enum class ControlTool { kComplete, kDelegate, kPipeline, kPlan, kTodo, kPruneContext, kPhaseChange, kContextInspect };

struct ControlToolRow {
  ControlTool tool;
  std::string_view name;
  std::string_view needs;  // "tiers" or "phases": the session must have some; or empty
  bool ends_run;  // the run ends with its argument
  bool makes_plan;  // its argument is a plan, whose steps are calls
  bool asks_hooks;  // while it runs, hooks may change its arguments
  bool stays_in_phase;  // models have it in every phase
  std::string_view description;
  std::string_view parameters;  // JSON Schema, in which "$tiers" and "$phases" stand for names that the session has
};

// In the order of ControlTool.
inline constexpr ControlToolRow kControlTools[] = {
    {ControlTool::kComplete, "complete", "", true, false, false, true,
     "Ends the work. Call it when everything is done, with a summary of what was done.",
     R"json({"type":"object","properties":{"summary":{"type":"string","description":"What was done, and what came of it."}},"required":["summary"],"additionalProperties":false})json"},
    {ControlTool::kDelegate, "delegate", "tiers", false, false, true, false,
     "Has another agent do a task, and gives its summary.",
     R"json({"type":"object","properties":{"tier":{"type":"string","enum":"$tiers","description":"Who does it"},"task":{"type":"string","description":"What is to be done, with all that the other agent must know."},"resume":{"type":"string","description":"Name of an earlier conversation with that agent, to go on with it."}},"required":["tier","task"],"additionalProperties":false})json"},
    {ControlTool::kPipeline, "pipeline", "tiers", false, false, true, false,
     "Has several agents work on a task in turn, each with what the one before has made.",
     R"json({"type":"object","properties":{"task":{"type":"string","description":"What is to be done, with all that the other agents must know."},"stages":{"type":"array","items":{"type":"object","properties":{"tier":{"type":"string","enum":"$tiers","description":"Who does it"},"task":{"type":"string","description":"Its part of the task."}},"required":["tier"],"additionalProperties":false},"description":"The agents, in order."}},"required":["task","stages"],"additionalProperties":false})json"},
    {ControlTool::kPlan, "plan", "", false, true, true, false,
     "Carries out several steps. In the texts of a step, ${name} stands for what the earlier step of that name gave.",
     R"json({"type":"object","properties":{"flow":{"type":"string","enum":["sequence","parallel","fallback"],"description":"sequence: one after another, until one fails; parallel: at once, most must succeed; fallback: one after another, until one succeeds."},"steps":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string","description":"Name of the step."},"tool":{"type":"string","description":"A tool to call, or"},"args":{"type":"object","description":"Its arguments."},"tier":{"type":"string","enum":"$tiers","description":"Who does a task","needs":"tiers"},"task":{"type":"string","description":"The task, with all that the other agent must know.","needs":"tiers"},"flow":{"type":"string","enum":["sequence","parallel","fallback"],"description":"A plan of its own, or"},"steps":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string","description":"Name of the step."},"tool":{"type":"string","description":"A tool to call, or"},"args":{"type":"object","description":"Its arguments."},"tier":{"type":"string","enum":"$tiers","description":"Who does a task","needs":"tiers"},"task":{"type":"string","description":"The task, with all that the other agent must know.","needs":"tiers"}},"required":["name"],"additionalProperties":false},"description":"Its steps."}},"required":["name"],"additionalProperties":false},"description":"The steps, in order."}},"required":["flow","steps"],"additionalProperties":false})json"},
    {ControlTool::kTodo, "todo", "", false, false, false, false,
     "Sets the list of what is to be done, in place of the one before.",
     R"json({"type":"object","properties":{"todos":{"type":"array","items":{"type":"object","properties":{"content":{"type":"string","description":"What is to be done."},"status":{"type":"string","enum":["pending","in_progress","completed"]}},"required":["content","status"],"additionalProperties":false},"description":"The whole list."}},"required":["todos"],"additionalProperties":false})json"},
    {ControlTool::kPruneContext, "prune_context", "", false, false, false, false,
     "Shortens earlier results of tools that are not needed any more. At least one of the arguments.",
     R"json({"type":"object","properties":{"tool":{"type":"string","description":"Results of this tool only."},"ids":{"type":"array","items":{"type":"string"},"description":"Ids of calls."},"keep_last":{"type":"integer","minimum":0,"maximum":2147483647,"description":"How many of the newest results stay."}},"required":[],"additionalProperties":false})json"},
    {ControlTool::kPhaseChange, "phase_change", "phases", false, false, false, true,
     "Goes over to another phase of the work.",
     R"json({"type":"object","properties":{"phase":{"type":"string","enum":"$phases","description":"The phase"}},"required":["phase"],"additionalProperties":false})json"},
    {ControlTool::kContextInspect, "context_inspect", "", false, false, false, false,
     "Reads a result or message again that was shortened.",
     R"json({"type":"object","properties":{"id":{"type":"string","description":"Id of the call or message, as the shortened text names it."},"offset":{"type":"integer","minimum":0,"maximum":2147483647,"description":"Byte to begin at."}},"required":["id"],"additionalProperties":false})json"},
};

// Null for the name of no control tool.
constexpr const ControlToolRow* control_tool_row(std::string_view name) {
  for (const ControlToolRow& row : kControlTools) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace lh
