#include "agent/run/context_assembly.h"

#include <string>

#include "agent/session/session.h"
#include "generation/answer_messages.h"
#include "generation/conversation_json.h"
#include "generation/decision_log.h"

namespace lh {
namespace {

// What hooks inject into one model call, hook by hook.
class Injections {
 public:
  Injections(const Generator& generator, int32_t reserve) : generator_(generator), reserve_(reserve) {}

  // Counts what the last of the hooks gave. False: it is more than there is room for.
  bool take(const DispatchResult& so_far) {
    if (!so_far.answers.contains("inject")) return true;
    const Json& parts = so_far.answers["inject"];
    const int64_t before = tokens_;
    for (; counted_ < parts.size(); ++counted_) {
      const auto& content = parts[counted_]["content"].get_ref<const std::string&>();
      tokens_ += static_cast<int64_t>(generator_.tokenize(content, false, false).size());
    }
    if (tokens_ <= reserve_) return true;
    std::string message = "what the hook " + so_far.decision.hooks.back().name + " injected takes " +
                          std::to_string(tokens_ - before) + " tokens";
    if (before > 0) message += ", with that of hooks before it " + std::to_string(tokens_) + " tokens";
    message += ", and injection_reserve is " + std::to_string(reserve_);
    status_ = Status(Code::kInjectionOverflow, std::move(message));
    return false;
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  const Generator& generator_;
  const int32_t reserve_;
  size_t counted_ = 0;
  int64_t tokens_ = 0;
  Status status_;
};

void inject(const Json& parts, ModelRequest& request, Messages& durable) {
  for (const Json& part : parts) {
    const MessagePtr message = user_message(part["content"].get_ref<const std::string&>());
    request.messages.push_back(message);
    if (part.value("durable", false)) durable.push_back(message);
  }
}

// One tool that the model cannot be held to does not keep it from the others.
void offer_tools(RunContext& run, const std::shared_ptr<const Profile>& profile, bool strict) {
  if (run.offered.of == profile) return;
  run.offered = {profile, {}};
  for (const auto& tool : profile->tools) {
    const Status status = tool->fault().empty() ? run.model.generator->check_tool(*tool->shown(), strict)
                                                : Status(Code::kInvalidSchema, tool->fault());
    if (status.ok()) {
      run.offered.tools.push_back(tool->shown());
    } else {
      run.dispatcher.error(run.scope, code_name(status.code()), status.message() + "; the tool is not offered",
                           "tool:" + tool->name(), true);
    }
  }
}

}  // namespace

Result<ModelRequest> make_request(RunContext& run, const Json& params) {
  ModelRequest request;
  const auto profile = run.dialogue.profile();
  auto sampling = sampling_of(profile->sampling, params);
  if (!sampling.ok()) return sampling.status();
  request.params = *std::move(sampling);
  request.adapters = &run.dialogue.adapters();
  if (auto swapped = run.dialogue.adapters().chosen(); swapped && !params.contains("adapters")) {
    request.params.adapters = *std::move(swapped);
  }
  offer_tools(run, profile, request.params.strict_schema);
  request.tools = run.offered.tools;
  const std::string system = run.dialogue.system_prompt(run.dispatcher, run.scope, run.result.decisions);
  if (!system.empty()) {
    Message message;
    message.role = Role::kSystem;
    message.content = system;
    request.messages.push_back(std::make_shared<const Message>(std::move(message)));
  }
  const Messages shown = with_users_joined(run.messages);
  request.messages.insert(request.messages.end(), shown.begin(), shown.end());
  return request;
}

Assembled assemble_context(RunContext& run, ModelRequest& request, std::unique_ptr<Prompt>& prompt) {
  Assembled assembled;
  const Generator& generator = *run.model.generator;
  const int32_t reserve = run.session.setup().injection_reserve;
  const auto build = [&](std::string& out) {
    append_members(out, {{"messages", to_json(request.messages)},
                         {"token_count", prompt->tokens().size()},
                         {"limit", generator.context_size()},
                         {"budget", reserve}});
  };
  Injections injections(generator, reserve);
  const auto complete = [&](const DispatchResult& so_far) { return injections.take(so_far); };
  const Outcome outcome = run.dispatcher.fire(LH_HOOK_ON_CONTEXT_ASSEMBLE, run.scope, build, complete);
  keep(run.result.decisions, outcome->decision);
  const Decision& decision = outcome->decision;
  if (decision.action == Action::kCancelled) {
    assembled.cancelled = !decision.decided_by;
    if (decision.decided_by) assembled.stopped = Stop{decision.decided_by->name, decision.reason.value_or("")};
    return assembled;
  }
  assembled.status = injections.status();
  if (!assembled.status.ok()) return assembled;
  if (outcome->changes.contains("messages")) {
    auto messages = read_messages(outcome->changes["messages"]);
    if (!messages.ok()) {
      assembled.status =
          Status(messages.status().code(), "after CONTEXT_ASSEMBLE hooks changed them: " + messages.status().message());
      return assembled;
    }
    request.messages = *std::move(messages);
    prompt.reset();
  }
  if (outcome->answers.is_object() && outcome->answers.contains("inject")) {
    inject(outcome->answers["inject"], request, assembled.durable);
    request.messages = with_users_joined(request.messages);
    prompt.reset();
  }
  return assembled;
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
