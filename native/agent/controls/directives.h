// What tools ask the engine to do beside their results: each passes ON_DIRECTIVE, and is carried out.
// Must not: carry out those of a tool that is not trusted.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "agent/controls/controls.h"
#include "agent/run/run_frame.h"

namespace lh {

class Directives {
 public:
  Directives(RunFrame& run, Controls& controls) : run_(run), controls_(controls) {}
  Directives(const Directives&) = delete;
  Directives& operator=(const Directives&) = delete;

  // Those of one result, in order. Gives what the model is told beside it; what is to be done when all results are
  // there is in run.asked. `ran`: the tool that gave the result; null: none has.
  [[nodiscard]] std::string carry_out(const ToolRecord& record, const AgentTool* ran);

 private:
  void one(const std::string& tool, const std::string& type, Json params, std::string& told);
  // Errors: kInvalidDirective for wrong params.
  [[nodiscard]] Status known(const std::string& tool, const std::string& type, const Json& params, std::string& told);
  void custom(const std::string& tool, const std::string& type, const Json& params, std::string& told);
  void report(const std::string& tool, const std::string& type, const std::string& why);

  RunFrame& run_;
  Controls& controls_;
};
static_assert(!std::is_copy_constructible_v<Directives>);

}  // namespace lh
