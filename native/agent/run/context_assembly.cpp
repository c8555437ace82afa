#include "agent/run/context_assembly.h"

#include <string>

#include "agent/run/request_builder.h"
#include "agent/session/session.h"
#include "base/text/names.h"
#include "generation/answer_messages.h"
#include "generation/conversation_json.h"
#include "generation/decision_log.h"

namespace lh {
namespace {

// Counts the tokens that hooks inject into one model call, hook by hook.
class Injections {
 public:
  Injections(const Generator& generator, int32_t reserve, const CancelFlag& cancel)
      : generator_(generator), reserve_(reserve), cancel_(cancel) {}

  // Counts what the last of the hooks gave. False: it is more than there is room for.
  bool take(const DispatchResult& so_far) {
    if (!so_far.answers.contains("inject")) return true;
    const Json& parts = so_far.answers["inject"];
    const int64_t before = tokens_;
    for (; counted_ < parts.size(); ++counted_) {
      const auto& content = parts[counted_]["content"].get_ref<const std::string&>();
      tokens_ += generator_.count(content, &cancel_);
    }
    if (tokens_ <= reserve_) return true;
    std::string message = "what the hook " + so_far.decision.hooks.back().name + " injected takes " +
                          std::to_string(tokens_ - before) + " tokens";
    if (before > 0) message += ", with that of hooks before it " + std::to_string(tokens_) + " tokens";
    message += ", and " + shown_field("injection_reserve") + " is " + std::to_string(reserve_);
    status_ = Status(Code::kInjectionOverflow, std::move(message));
    return false;
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  const Generator& generator_;
  const int32_t reserve_;
  const CancelFlag& cancel_;
  size_t counted_ = 0;
  int64_t tokens_ = 0;
  Status status_;
};

void inject(const RunContext& run, const Json& parts, ModelRequest& request, std::vector<AddedText>& durable) {
  for (const Json& part : parts) {
    const auto& text = part["content"].get_ref<const std::string&>();
    if (part.value("durable", false)) {
      request.messages.push_back(durable.emplace_back(run.added_text(Origin::kHook, text)).shown);
    } else {
      request.messages.push_back(user_message(text));
    }
  }
}

}  // namespace

std::vector<std::string> additional_context(const DispatchResult& result) {
  if (!result.answers.is_object() || !result.answers.contains("additional_context")) return {};
  return result.answers["additional_context"].get<std::vector<std::string>>();
}

void take_additional_context(const DispatchResult& result, PendingRequests& pending) {
  for (std::string& text : additional_context(result)) pending.texts.push_back({Origin::kHook, std::move(text)});
}

Assembled assemble_context(RunContext& run, ModelRequest& request, std::unique_ptr<Prompt>& prompt) {
  Assembled assembled;
  const Generator& generator = *run.model.generator;
  const int32_t reserve = run.setup.injection_reserve;
  const auto build = [&](std::string& out, const FieldSet& wanted) {
    wanted.append_member(out, "messages", [&](std::string& text) { append_json(text, request.messages); });
    append_members(out, {{"token_count", prompt->length()},
                         {"estimated", generator.estimates()},
                         {"limit", generator.context_size()},
                         {"budget", reserve}});
  };
  Injections injections(generator, reserve, run.work.cancel);
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
      assembled.status = Status(messages.status().code(), "after " + shown_point("CONTEXT_ASSEMBLE") +
                                                              " hooks changed them: " + messages.status().message());
      return assembled;
    }
    request.messages = *std::move(messages);
    prompt.reset();
  }
  if (outcome->answers.is_object() && outcome->answers.contains("inject")) {
    inject(run, outcome->answers["inject"], request, assembled.durable);
    request.messages = with_users_joined(request.messages);
    prompt.reset();
  }
  return assembled;
}

}  // namespace lh
