// Carries out the control tools, when the other calls of the message have ended. Must not: decide whether a call may
// run.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "agent/delegation/child_runs.h"
#include "agent/run/run_context.h"
#include "agent/tools/directive_handler.h"
#include "agent/tools/own_tools.h"

namespace lh {

class Controls final : public OwnTools {
 public:
  using Answer = OwnToolAnswer;

  // All outlive it. `directives`: for tools that are steps of a plan.
  Controls(RunContext& run, DirectiveHandler& directives, ChildRuns& children)
      : run_(run), directives_(directives), children_(children) {}
  Controls(const Controls&) = delete;
  Controls& operator=(const Controls&) = delete;

  void complete_args(ControlTool tool, ToolCall& call) override;
  [[nodiscard]] Answer carry_out(ControlTool tool, const ToolCall& call,
                                 const std::vector<ToolRecord>& records) override;
  // Fires ON_COMPLETE; run.pending receives the outcome.
  [[nodiscard]] Answer complete(const std::string& summary, const std::vector<ToolRecord>& records);

 private:
  [[nodiscard]] Answer plan(const Json& args);
  [[nodiscard]] Answer todo(const Json& args);
  [[nodiscard]] Answer prune_context(const Json& args);
  [[nodiscard]] Answer change_phase(const std::string& phase);
  [[nodiscard]] Answer inspect(const Json& args) const;

  RunContext& run_;
  DirectiveHandler& directives_;
  ChildRuns& children_;
};
static_assert(!std::is_copy_constructible_v<Controls>);

}  // namespace lh
