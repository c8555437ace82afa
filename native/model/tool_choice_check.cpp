#include "model/generator.h"

#include "base/text/names.h"

namespace lh {

Status check_tool_choice(const PromptRequest& request, const ToolChoice& choice) {
  if (!choice.must_call()) return {};
  std::string known;
  if (request.tools != nullptr) {
    for (const auto& tool : *request.tools) {
      if (choice.kind == ToolChoice::Kind::kRequired || tool->name == choice.tool) return {};
      known += (known.empty() ? "" : ", ") + tool->name;
    }
  }
  const std::string there_are = known.empty() ? "there are no tools" : "there are: " + known;
  const bool any = choice.kind == ToolChoice::Kind::kRequired;
  const std::string what = any ? "requires a call of a tool" : "names the tool " + dump_json(choice.tool);
  return {Code::kInvalidArgument, shown_field("params.tool_choice") + " " + what + ", and " + there_are};
}

}  // namespace lh
