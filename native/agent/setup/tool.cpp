#include "agent/setup/tool.h"

#include <string>
#include <utility>

#include "generation/conversation_json.h"

namespace lh {
namespace {

constexpr uint32_t kFlags = LH_TOOL_JSON_RESULT | LH_TOOL_TRUSTED | LH_TOOL_EXCLUSIVE;

}  // namespace

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
  return std::shared_ptr<const AgentTool>(new AgentTool(given, tools->front()));
}

std::shared_ptr<const AgentTool> AgentTool::control(std::string name, std::string description, Json parameters) {
  auto tool = std::make_shared<const Tool>(Tool{std::move(name), std::move(description), std::move(parameters)});
  return std::shared_ptr<const AgentTool>(new AgentTool(LH_TOOL_INIT, std::move(tool)));
}

AgentTool::~AgentTool() {
  if (kept_ && given_.release != nullptr) given_.release(given_.user_data);
}

}  // namespace lh
