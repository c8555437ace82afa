#include "agent/context_assembly.h"

#include <string>

#include "agent/session.h"
#include "generation/answer_messages.h"
#include "generation/conversation_json.h"
#include "generation/decision_log.h"

namespace lh {
namespace {

// The hooks that named a field in their answers.
std::string who_named(const Decision& decision, std::string_view field) {
  std::string names;
  for (const HookRecord& hook : decision.hooks) {
    for (const std::string& named : hook.fields) {
      if (named == field) names += (names.empty() ? "" : ", ") + hook.name;
    }
  }
  return names;
}

Status inject(const DispatchResult& result, const Generator& generator, int32_t reserve, ModelRequest& request,
              Messages& durable) {
  int64_t tokens = 0;
  for (const Json& part : result.answers["inject"]) {
    const auto& content = part["content"].get_ref<const std::string&>();
    tokens += static_cast<int64_t>(generator.tokenize(content, false, false).size());
    const MessagePtr message = user_message(content);
    request.messages.push_back(message);
    if (part.value("durable", false)) durable.push_back(message);
  }
  if (tokens <= reserve) return {};
  return {Code::kInjectionOverflow, "what the hooks " + who_named(result.decision, "inject") + " injected takes " +
                                        std::to_string(tokens) + " tokens, and injection_reserve is " +
                                        std::to_string(reserve)};
}

// One tool that the model cannot be held to does not keep it from the others.
void offer_tools(RunFrame& run, const std::shared_ptr<const Profile>& profile, bool strict) {
  if (run.offered.of == profile) return;
  run.offered = {profile, {}};
  for (const auto& tool : profile->shown) {
    const Status status = run.model.generator->check_tool(*tool, strict);
    if (status.ok()) {
      run.offered.tools.push_back(tool);
    } else {
      run.dispatcher.error(run.scope, code_name(status.code()), status.message() + "; the tool is not offered",
                           "tool:" + tool->name, true);
    }
  }
}

}  // namespace

Result<ModelRequest> make_request(RunFrame& run, const Json& params) {
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

Assembled assemble_context(RunFrame& run, ModelRequest& request, std::unique_ptr<Prompt>& prompt) {
  Assembled assembled;
  const Generator& generator = *run.model.generator;
  const int32_t reserve = run.session.setup().injection_reserve;
  const Outcome outcome = run.dispatcher.fire(LH_HOOK_ON_CONTEXT_ASSEMBLE, run.scope, [&](std::string& out) {
    append_members(out, {{"messages", to_json(request.messages)},
                         {"token_count", prompt->tokens().size()},
                         {"limit", generator.context_size()},
                         {"budget", reserve}});
  });
  keep(run.result.decisions, outcome->decision);
  const Decision& decision = outcome->decision;
  if (decision.action == Action::kCancelled) {
    assembled.cancelled = !decision.decided_by;
    if (decision.decided_by) assembled.stopped = Stop{decision.decided_by->name, decision.reason.value_or("")};
    return assembled;
  }
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
    assembled.status = inject(*outcome, generator, reserve, request, assembled.durable);
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
