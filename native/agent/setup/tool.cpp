#include "agent/setup/tool.h"

#include <string>
#include <utility>

#include "generation/conversation_json.h"
#include "hooks/points/value_check.h"

namespace lh {
namespace {

constexpr uint32_t kFlags = LH_TOOL_JSON_RESULT | LH_TOOL_TRUSTED | LH_TOOL_EXCLUSIVE | LH_TOOL_PREPARES;

const Json& annotations_schema() {
  static const Json schema = {{"type", "object"},
                              {"properties",
                               {{"title", {{"type", "string"}}},
                                {"read_only_hint", {{"type", "boolean"}}},
                                {"destructive_hint", {{"type", "boolean"}}},
                                {"idempotent_hint", {{"type", "boolean"}}},
                                {"open_world_hint", {{"type", "boolean"}}}}},
                              {"additionalProperties", false}};
  return schema;
}

Result<Json> read_about(const lh_tool& given, const std::string& what) {
  Json about = Json::object();
  if (given.origin != nullptr) about["origin"] = to_utf8(given.origin);
  if (given.annotations_json == nullptr) return about;
  auto annotations = parse_json(given.annotations_json, what + ": annotations_json");
  if (!annotations.ok()) return annotations.status();
  if (const auto offence = check_value(*annotations, annotations_schema())) {
    const std::string place = offence->path.empty() ? " " : "." + offence->path + " ";
    return Status(Code::kInvalidArgument, what + ": annotations_json" + place + offence->why);
  }
  about["annotations"] = *std::move(annotations);
  return about;
}

}  // namespace

AgentTool::AgentTool(const lh_tool& given, std::shared_ptr<const Tool> shown, Json about, const ControlToolRow* control)
    : given_(given),
      shown_(std::move(shown)),
      fault_(given.fault == nullptr ? "" : to_utf8(given.fault)),
      about_(std::move(about)),
      control_(control) {}

const Json& AgentTool::annotations_of(const AgentTool* tool) {
  static const auto& nothing = *new Json();
  return tool == nullptr || !tool->about_.contains("annotations") ? nothing : tool->about_["annotations"];
}

std::string_view AgentTool::origin_of(const AgentTool* tool) {
  if (tool == nullptr || !tool->about_.contains("origin")) return {};
  return tool->about_["origin"].get_ref<const std::string&>();
}

Result<std::shared_ptr<const AgentTool>> AgentTool::create(const lh_tool& given) {
  if (given.name == nullptr) return Status(Code::kInvalidArgument, "a tool has no name");
  Json json = {{"name", to_utf8(given.name)}};
  const std::string what = "the tool \"" + json["name"].get<std::string>() + "\"";
  if (given.run == nullptr) return Status(Code::kInvalidArgument, what + " has no run");
  if ((given.flags & ~kFlags) != 0) return Status(Code::kInvalidArgument, what + " has unknown flags");
  if (given.description != nullptr) json["description"] = to_utf8(given.description);
  if (given.parameters_json != nullptr) {
    auto parameters = parse_json(given.parameters_json, what + ": parameters_json");
    if (!parameters.ok()) return Status(Code::kInvalidSchema, parameters.status().message());
    json["parameters"] = *std::move(parameters);
  }
  auto tools = read_tools(Json::array({std::move(json)}));
  if (!tools.ok()) {
    std::string why = tools.status().message();
    if (why.starts_with("tools[0]")) why.replace(0, 8, what);
    return Status(tools.status().code(), why);
  }
  auto about = read_about(given, what);
  if (!about.ok()) return about.status();
  return std::shared_ptr<const AgentTool>(new AgentTool(given, tools->front(), *std::move(about)));
}

std::shared_ptr<const AgentTool> AgentTool::control(const ControlToolRow& row, Json parameters) {
  auto tool =
      std::make_shared<const Tool>(Tool{std::string(row.name), std::string(row.description), std::move(parameters)});
  return std::shared_ptr<const AgentTool>(new AgentTool(LH_TOOL_INIT, std::move(tool), Json::object(), &row));
}

AgentTool::~AgentTool() {
  if (kept_ && given_.release != nullptr) given_.release(given_.user_data);
}

}  // namespace lh
