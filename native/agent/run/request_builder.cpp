#include "agent/run/request_builder.h"

#include <string>
#include <utility>

#include "generation/answer_messages.h"

namespace lh {

// A tool that the model cannot be constrained to is left out, and the others are offered.
void RequestBuilder::offer_tools(const std::shared_ptr<const Profile>& profile, bool strict) {
  if (offered_for_ == profile) return;
  offered_for_ = profile;
  offered_.clear();
  for (const auto& tool : profile->tools) {
    const Status status = tool->fault().empty() ? model_.generator->check_tool(*tool->shown(), strict)
                                                : Status(Code::kInvalidSchema, tool->fault());
    if (status.ok()) {
      offered_.push_back(tool->shown());
    } else {
      dispatcher_.error(scope_, code_name(status.code()), status.message() + "; the tool is not offered",
                        "tool:" + tool->name(), true);
    }
  }
}

Result<ModelRequest> RequestBuilder::build(const Messages& messages) {
  ModelRequest request;
  const auto profile = dialogue_.profile();
  auto sampling = sampling_of(profile->sampling, params_);
  if (!sampling.ok()) return sampling.status();
  request.params = *std::move(sampling);
  request.adapters = &dialogue_.adapters();
  if (auto swapped = dialogue_.adapters().chosen(); swapped && !params_.contains("adapters")) {
    request.params.adapters = *std::move(swapped);
  }
  offer_tools(profile, request.params.strict_schema);
  request.tools = offered_;
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
