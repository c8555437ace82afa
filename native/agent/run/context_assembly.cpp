#include "agent/run/context_assembly.h"

#include <string>

#include "agent/run/request_builder.h"
#include "agent/session/session.h"
#include "base/text/names.h"
#include "generation/answer_messages.h"
#include "generation/conversation_json.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {
namespace {

// Counts the tokens that hooks inject into one model call, hook by hook.
class Injections {
 public:
  Injections(const Generator& generator, int32_t reserve, const CancelFlag& cancel)
      : generator_(generator), reserve_(reserve), cancel_(cancel) {}

  // Counts what the last of the hooks gave. False: it is more than there is room for.
  bool take(DispatchResult& so_far) {
    const auto parts = points::OnContextAssemble::Answers(so_far).inject();
    if (!parts) return true;
    const int64_t before = tokens_;
    for (; counted_ < parts->size(); ++counted_) {
      const auto& content = (*parts)[counted_]["content"].get_ref<const std::string&>();
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

std::vector<std::string> texts_of(const Given<Json>& additional_context) {
  return additional_context ? additional_context->get<std::vector<std::string>>() : std::vector<std::string>();
}

void take_additional_context(const Given<Json>& given, PendingRequests& pending) {
  for (std::string& text : texts_of(given)) pending.texts.push_back({Origin::kHook, std::move(text)});
}

Assembled assemble_context(RunContext& run, ModelRequest& request, std::unique_ptr<Prompt>& prompt) {
  Assembled assembled;
  const Generator& generator = *run.model.generator;
  const int32_t reserve = run.setup.injection_reserve;
  Injections injections(generator, reserve, run.work.cancel);
  const auto after_each = [&](DispatchResult& so_far) { return injections.take(so_far); };
  const Completion complete(after_each);
  const auto outcome = run.ask<points::OnContextAssemble>(run.scope,
                                                          [&](const auto& context) {
                                                            context({.messages = request.messages,
                                                                     .token_count = prompt->length(),
                                                                     .estimated = generator.estimates(),
                                                                     .limit = generator.context_size(),
                                                                     .budget = reserve});
                                                          },
                                                          {.complete = &complete});
  if (outcome.cancelled()) {
    const auto veto = outcome.veto();
    assembled.cancelled = !veto;
    if (veto) assembled.stopped = Stop{veto->by, veto->reason};
    return assembled;
  }
  assembled.status = injections.status();
  if (!assembled.status.ok()) return assembled;
  if (const auto changed = outcome.changes().messages()) {
    auto messages = read_messages(*changed);
    if (!messages.ok()) {
      assembled.status = Status(messages.status().code(), "after " + shown_point("CONTEXT_ASSEMBLE") +
                                                              " hooks changed them: " + messages.status().message());
      return assembled;
    }
    request.messages = *std::move(messages);
    prompt.reset();
  }
  if (const auto parts = outcome.answers().inject()) {
    inject(run, *parts, request, assembled.durable);
    request.messages = with_users_joined(request.messages);
    prompt.reset();
  }
  return assembled;
}

}  // namespace lh
