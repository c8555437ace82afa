// Carries out directives: requests to the engine that tools return beside their results. Each fires ON_DIRECTIVE first.
// Must not: carry out those of a tool that is not trusted.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "agent/controls/directive_table.h"
#include "agent/delegation/child_runs.h"
#include "agent/run/run_context.h"
#include "agent/tools/directive_handler.h"

namespace lh {

class Directives final : public DirectiveHandler {
 public:
  // Both outlive it.
  Directives(RunContext& run, ChildRuns& children) : run_(run), children_(children) {}
  Directives(const Directives&) = delete;
  Directives& operator=(const Directives&) = delete;

  [[nodiscard]] std::string carry_out(const ToolRecord& record, const AgentTool* ran) override;

 private:
  void one(const std::string& tool, const std::string& type, Json params, std::string& told);
  // The params fit the schema of the type. Errors: kInvalidDirective for what the schema cannot say.
  [[nodiscard]] Status perform(const std::string& tool, DirectiveType type, const Json& params, std::string& told);
  [[nodiscard]] Status change_tier(const std::string& tier);
  void custom(const std::string& tool, const std::string& type, const Json& params, std::string& told);
  void report(const std::string& tool, const std::string& type, const std::string& why);

  RunContext& run_;
  ChildRuns& children_;
};
static_assert(!std::is_copy_constructible_v<Directives>);

}  // namespace lh
