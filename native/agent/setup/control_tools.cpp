#include "agent/setup/control_tools.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "agent/setup/control_tool_table.h"
#include "base/text/names.h"

namespace lh {
namespace {

// Names, with the description of each.
using Named = std::vector<std::pair<std::string, std::string>>;

// The names of tiers and phases, which the session puts into the schemas of the table.
struct Choices {
  Named tiers;
  Named phases;

  explicit Choices(const SessionSetup& setup) {
    for (const Tier& tier : setup.tiers) tiers.emplace_back(tier.name, tier.description);
    for (const Phase& phase : setup.phases) phases.emplace_back(phase.name, phase.description);
  }
  [[nodiscard]] const Named& of(std::string_view what) const { return what.ends_with("tiers") ? tiers : phases; }
};

// Replaces "$tiers" and "$phases" by names, and leaves out the parameters that need names if there are none.
void fill_in(Json& schema, const Choices& choices) {
  if (schema.contains("enum") && schema["enum"].is_string()) {
    Json names = Json::array();
    auto description = schema["description"].get<std::string>();
    for (const auto& [name, what] : choices.of(schema["enum"].get_ref<const std::string&>())) {
      names.push_back(name);
      if (!what.empty()) description += "; " + name + ": " + what;
    }
    schema["enum"] = std::move(names);
    schema["description"] = std::move(description);
  }
  if (schema.contains("items")) fill_in(schema["items"], choices);
  if (!schema.contains("properties")) return;
  Json filled = Json::object();
  for (auto& [key, property] : schema["properties"].items()) {
    if (property.contains("needs")) {
      if (choices.of(property["needs"].get_ref<const std::string&>()).empty()) continue;
      property.erase("needs");
    }
    fill_in(property, choices);
    filled[key] = std::move(property);
  }
  schema["properties"] = std::move(filled);
}

}  // namespace

Result<AgentTools> make_control_tools(const SessionSetup& setup) {
  AgentTools tools;
  const Choices choices(setup);
  for (const std::string& name : setup.control_tools) {
    const auto wrong = [&name](const std::string& why) {
      return Status(Code::kInvalidArgument, shown_field("control_tools") + " has \"" + name + "\", " + why);
    };
    const ControlToolRow* const row = control_tool_row(name);
    if (row == nullptr) return wrong("which is none");
    if (!row->needs.empty() && choices.of(row->needs).empty()) {
      return wrong("and there are no " + std::string(row->needs));
    }
    auto parameters = parse_json(row->parameters, row->name);
    if (!parameters.ok()) return parameters.status();
    fill_in(*parameters, choices);
    tools.push_back(AgentTool::control(*row, *std::move(parameters)));
  }
  return tools;
}

}  // namespace lh
