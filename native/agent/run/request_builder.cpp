#include "agent/run/request_builder.h"

#include <string>
#include <utility>

#include "generation/answer_messages.h"

namespace lh {

namespace {

constexpr const char* kCompleteWithAnswer = "Ends the work. Call it when everything is done, with the answer.";

// A reference within the schema of an answer leads on where that is the property of another schema.
Json as_property(Json schema) {
  if (schema.is_object() && schema.contains("$ref") && schema["$ref"].is_string()) {
    std::string& reference = schema["$ref"].get_ref<std::string&>();
    if (reference.starts_with('#')) reference.insert(1, "/properties/answer");
  }
  if (schema.is_structured()) {
    for (Json& part : schema) part = as_property(std::move(part));
  }
  return schema;
}

}  // namespace

bool RequestBuilder::takes_answer(const AgentTool& tool) const { return answer_.has_value() && tool.ends_run(); }

std::shared_ptr<const Tool> RequestBuilder::shown(const AgentTool& tool) const {
  if (!takes_answer(tool)) return tool.shown();
  Json parameters = {
      {"type", "object"}, {"properties", {{"answer", as_property(*answer_)}}}, {"required", Json::array({"answer"})}};
  return std::make_shared<const Tool>(Tool{tool.name(), kCompleteWithAnswer, std::move(parameters)});
}

// If the model cannot be constrained to a tool, that tool is left out, and the others are offered. Any other failure
// does not depend on the tool.
Status RequestBuilder::offer_tools(const std::shared_ptr<const Profile>& profile, bool strict) {
  if (offered_for_ == profile) return {};
  offered_for_.reset();
  answer_status_ = {};
  offered_.clear();
  for (const auto& tool : profile->tools) {
    std::shared_ptr<const Tool> offered = shown(*tool);
    const Status status = tool->fault().empty() ? model_.generator->check_tool(*offered, strict)
                                                : Status(Code::kInvalidSchema, tool->fault());
    if (!status.ok() && status.code() != Code::kInvalidSchema) return status;
    if (takes_answer(*tool)) answer_status_ = status;
    if (status.ok()) {
      offered_.push_back(std::move(offered));
    } else {
      dispatcher_.error_or_warning(scope_, code_name(status.code()), status.message() + "; the tool is not offered",
                                   "tool:" + tool->name(), true);
    }
  }
  offered_for_ = profile;
  return {};
}

Result<ModelRequest> RequestBuilder::build(const Messages& messages) {
  ModelRequest request;
  const auto profile = dialogue_.profile();
  auto sampling = sampling_of(profile->sampling, params_);
  if (!sampling.ok()) return sampling.status();
  request.params = *std::move(sampling);
  if (answer_ && !request.params.grammar.empty()) {
    return Status(Code::kInvalidArgument, "params.grammar and request.answer exclude each other: remove one");
  }
  if (!calls_) request.params.tool_choice = ToolChoice::none();
  if (answer_ && (!profile->explicit_completion || !calls_)) request.params.json_schema = answer_;
  request.adapters = &dialogue_.adapters();
  if (auto swapped = dialogue_.adapters().chosen(); swapped && !params_.contains("adapters")) {
    request.params.adapters = *std::move(swapped);
  }
  if (Status status = offer_tools(profile, request.params.strict_schema); !status.ok()) return status;
  request.tools = offered_;
  if (profile->explicit_completion && !answer_status_.ok()) return answer_status_;
  const std::string system = dialogue_.system_prompt(dispatcher_, scope_, decisions_);
  if (!system.empty()) {
    Message message;
    message.role = Role::kSystem;
    message.content = system;
    request.messages.push_back(std::make_shared<const Message>(std::move(message)));
  }
  const Messages shown = with_users_joined(messages);
  request.messages.insert(request.messages.end(), shown.begin(), shown.end());
  return request;
}

Messages with_users_joined(const Messages& messages) {
  Messages joined;
  for (const MessagePtr& message : messages) {
    const bool again = !joined.empty() && message->role == Role::kUser && joined.back()->role == Role::kUser;
    if (again) {
      joined.back() = user_message(joined.back()->content + "\n\n" + message->content);
    } else {
      joined.push_back(message);
    }
  }
  return joined;
}

}  // namespace lh
