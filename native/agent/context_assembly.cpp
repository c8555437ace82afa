#include "agent/context_assembly.h"

#include <string>

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

}  // namespace

Assembled assemble_context(const Dispatcher& dispatcher, const Scope& scope, const Generator& generator,
                           int32_t reserve, ModelRequest& request, std::vector<Decision>& decisions) {
  Assembled assembled;
  if (!dispatcher.has(LH_HOOK_ON_CONTEXT_ASSEMBLE)) return assembled;  // counting costs a rendering of the prompt
  const auto prompt = generator.prepare(request.prompt_request(), request.params);
  if (!prompt.ok()) {
    assembled.status = prompt.status();
    return assembled;
  }
  const Outcome outcome = dispatcher.fire(LH_HOOK_ON_CONTEXT_ASSEMBLE, scope, [&](std::string& out) {
    append_members(out, {{"messages", to_json(request.messages)},
                         {"token_count", (*prompt)->tokens().size()},
                         {"limit", generator.context_size()},
                         {"budget", reserve}});
  });
  keep(decisions, outcome->decision);
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
  }
  if (outcome->answers.is_object() && outcome->answers.contains("inject")) {
    assembled.status = inject(*outcome, generator, reserve, request, assembled.durable);
    request.messages = with_users_joined(request.messages);
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
