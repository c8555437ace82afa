#include "generation/model_call.h"

#include <utility>

#include "base/text/names.h"
#include "base/text/reason.h"
#include "generation/answer_messages.h"
#include "generation/context_budget.h"
#include "generation/conversation_json.h"
#include "generation/pre_generate.h"
#include "generation/too_long.h"
#include "hooks/calls/operation.h"
#include "hooks/dispatch/decision_log.h"
#include "hooks/dispatch/fire.h"
#include "hooks/dispatch/points_generate.h"

namespace lh {
namespace {

constexpr int kMaxRetries = 3;  // a hook that always retries must not keep a model busy forever

MessagePtr take_last(Messages& messages) {
  MessagePtr last = std::move(messages.back());
  messages.pop_back();
  return last;
}

// Marks a generator with adapters as in use while its tokens arrive, as the model is: a call that waits for one of them
// waits for the hooks of this call.
class UsesAdapters {
 public:
  UsesAdapters(const Generator* generator, bool any)
      : work_(any ? Operation::current() : nullptr), generator_(generator) {
    if (work_) work_->uses.add(generator_);
  }
  ~UsesAdapters() {
    if (work_) work_->uses.remove(generator_);
  }
  UsesAdapters(const UsesAdapters&) = delete;
  UsesAdapters& operator=(const UsesAdapters&) = delete;

 private:
  const std::shared_ptr<Operation> work_;
  const Generator* const generator_;
};
static_assert(!std::is_copy_constructible_v<UsesAdapters>);

}  // namespace

ModelCall::ModelCall(const Dispatcher& dispatcher, ModelUse model, Scope scope, ModelRequest request, const Work& work)
    : dispatcher_(dispatcher),
      own_model_(std::move(model)),
      model_(own_model_),
      scope_(std::move(scope)),
      work_(work),
      begun_(work.asked.value_or(AnswerReader::Clock::now())),
      asked_(std::move(request)),
      events_(work.events, asked_.held) {
  scope_.model_id = model_.id;
  scope_.cancel = &work_.cancel;
  if (asked_.is_aside) scope_.conversation.clear();
  if (scope_.errors == nullptr) scope_.errors = &errors_in_a_row_;
  answer_.usage.queue_ms = std::chrono::duration<double, std::milli>(AnswerReader::Clock::now() - begun_).count();
}

ModelAnswer ModelCall::run(std::unique_ptr<Prompt> prompt) && {
  prepared_ = std::move(prompt);
  Result<Next> next = Next::kRetry;
  while (next.ok() && *next == Next::kRetry) next = attempt();
  if (next.ok()) {
    scope_.errors->reset();
  } else {
    answer_.status = next.status();
    dispatcher_.error(scope_, code_name(answer_.status.code()), answer_.status.message(), "generate", false);
  }
  answer_.model_id = model_.id;
  answer_.content = std::move(output_.content);
  answer_.reasoning = std::move(output_.reasoning);
  answer_.tool_calls = std::move(output_.tool_calls);
  answer_.messages = new_messages();
  answer_.logprobs = events_.take_rated();
  answer_.params = std::move(request_.params);
  return std::move(answer_);
}

// Hooks see the prompt as text.
Status ModelCall::write_infill() {
  if (!asked_.infill) return {};
  auto text = model_.generator->infill_text(*asked_.infill);
  if (!text.ok()) return text.status();
  asked_.prompt = *std::move(text);
  return {};
}

Result<ModelCall::Next> ModelCall::attempt() {
  model_ = own_model_;
  scope_.model_id = model_.id;
  if (Status status = write_infill(); !status.ok()) return status;
  request_ = asked_;
  output_ = ParsedOutput();
  usage_ = Usage();
  answer_.finish_reason = FinishReason::kStop;
  answer_.stop_text.clear();
  if (cancelled_before(std::nullopt)) return Next::kDone;
  prepared_ =
      fire_context_budget(dispatcher_, scope_, *model_.generator, request_, std::move(prepared_), answer_.decisions);
  PreGenerate hooks(dispatcher_, scope_, request_, answer_.decisions);
  const auto outcome = hooks.ask();
  if (cancelled_before(outcome.veto())) return Next::kDone;
  if (outcome.changes().any()) prepared_.reset();
  if (Status status = hooks.apply(outcome.changes()); !status.ok()) return status;
  if (Status status = change_model(outcome); !status.ok()) return failed_or_cancelled(std::move(status));
  if (const auto response = outcome.answers().response()) {
    if (Status status = use_response(*response); !status.ok()) return failed_or_cancelled(std::move(status));
    return Next::kDone;
  }
  return generate();
}

bool ModelCall::cancelled_before(const std::optional<Veto>& veto) {
  if (veto) {
    answer_.cancel = Stop{veto->by, veto->reason};
  } else if (work_.cancel.cancelled()) {
    answer_.cancel = Stop{kCaller, work_.cancel.reason()};
  } else {
    return false;
  }
  answer_.finish_reason = FinishReason::kCancelled;
  return true;
}

// The model of this attempt, if a hook has chosen another one.
Status ModelCall::change_model(const PreGenerate::Asked& outcome) {
  const auto wanted = outcome.answers().model();
  if (!wanted || *wanted == own_model_.id) return {};
  // Another one answers in its place.
  if (std::ranges::find(unreachable_, *wanted) != unreachable_.end()) return {};
  auto model = request_.models->acquire(*wanted, work_, answer_.refused);
  if (!model.ok()) {
    return {model.status().code(), "the model that the hook " + wanted.by() + " chose at " +
                                       shown_point("PRE_GENERATE") + ": " + model.status().message()};
  }
  model_ = *std::move(model);
  scope_.model_id = model_.id;
  request_.adapters = nullptr;
  if (!outcome.changes().params()) request_.params.adapters.clear();
  prepared_ = fire_context_budget(dispatcher_, scope_, *model_.generator, request_, nullptr, answer_.decisions);
  return {};
}

// Text of a hook is taken as text: only tool calls that are declared in it are parsed.
Result<ParsedOutput> ModelCall::read_foreign(const Prompt& prompt, const std::string& text) {
  auto parsed = prompt.format().parse_calls(text);
  if (parsed.ok() || !OutputFormat::is_of_text(parsed.status())) return parsed;
  dispatcher_.error(scope_, code_name(parsed.status().code()), parsed.status().message(), "generate", true);
  ParsedOutput whole;
  whole.content = text;
  return whole;
}

Result<std::unique_ptr<Prompt>> ModelCall::take_prompt(bool again) {
  if (!prepared_) {
    PromptRequest request = request_.prompt_request();
    request.cancel = &work_.cancel;
    auto made = model_.generator->prepare(request, request_.params);
    if (!made.ok()) return made.status();
    prepared_ = *std::move(made);
  }
  if (!again) events_.start({scope_.run_id, model_.id, prepared_->length()});
  return std::move(prepared_);
}

Status ModelCall::use_response(const std::string& response) {
  auto prompt = take_prompt();
  if (!prompt.ok()) return prompt.status();
  auto read = read_foreign(**prompt, response);
  if (!read.ok()) return read.status();
  output_ = *std::move(read);
  number_calls(output_.tool_calls, request_.taken_ids);
  events_.text(PieceKind::kContent, output_.content);
  events_.calls(output_.tool_calls);
  events_.release();
  return {};
}

Status ModelCall::change_adapters() {
  ActiveAdapters& adapters = request_.adapters == nullptr ? own_adapters_ : *request_.adapters;
  const auto active =
      adapters.become(request_.params.adapters, *model_.generator, dispatcher_, scope_, answer_.decisions);
  if (active.ok()) request_.params.adapters = choices_of(*active);
  return active.status();
}

// A step that fails because the call is cancelled is the call's cancelled end, not a fault.
Result<ModelCall::Next> ModelCall::failed_or_cancelled(Status status) {
  if (!work_.cancel.cancelled()) return status;
  answer_.cancel = Stop{kCaller, work_.cancel.reason()};
  answer_.finish_reason = FinishReason::kCancelled;
  return Next::kDone;
}

Result<ModelCall::Next> ModelCall::generate() {
  std::unique_ptr<Prompt> prompt;
  Answer answer;
  for (bool again = false;; again = true) {
    auto made = take_prompt(again);
    if (!made.ok()) return failed_or_cancelled(made.status());
    prompt = *std::move(made);
    if (Status status = change_adapters(); !status.ok()) return failed_or_cancelled(std::move(status));
    {
      const UsesAdapters uses(model_.generator.get(), !request_.params.adapters.empty());
      answer = AnswerReader(dispatcher_, scope_, work_, events_, answer_.decisions, begun_)
                   .read(*model_.generator, *prompt, request_.params, request_.taken_ids);
    }
    if (again || !goes_again(answer)) break;
  }
  if (fall_back(answer)) return Next::kRetry;
  if (answer.status.code() == Code::kRemoteUnreachable && work_.cancel.cancelled()) {
    return failed_or_cancelled(std::move(answer.status));
  }
  output_ = std::move(answer.output);
  usage_ = answer.usage;
  answer_.usage += usage_;
  answer_.finish_reason = answer.finish_reason;
  answer_.stop_text = std::move(answer.stop_text);
  if (answer.finish_reason == FinishReason::kCancelled) answer_.cancel = Stop{kCaller, work_.cancel.reason()};
  Result<Next> next = ask_after(*prompt);
  if (answer.status.code() == Code::kPromptTooLong) {
    return explain_too_long(answer.status, *model_.generator, request_, prompt->length());
  }
  if (!answer.status.ok()) return answer.status;
  return next;
}

// A call that was sent at the moment at which its process died is sent to the next process.
bool ModelCall::goes_again(const Answer& answer) {
  if (answer.status.code() != Code::kEngineCrashed || answer.begun || work_.cancel.cancelled()) return false;
  if (!model_.generator->may_send_again()) return false;
  dispatcher_.error(scope_, code_name(answer.status.code()),
                    answer.status.message() + "; the call, which had got nothing yet, is sent once more", "generate",
                    true);
  return true;
}

bool ModelCall::fall_back(const Answer& answer) {
  const std::string other = model_.generator->fallback();
  if (answer.status.code() != Code::kRemoteUnreachable || answer.begun || other.empty()) return false;
  unreachable_.push_back(model_.id);
  if (request_.models == nullptr || std::ranges::find(unreachable_, other) != unreachable_.end()) return false;
  const std::string why = "the model \"" + model_.id + "\" is unreachable: " + answer.status.message();
  if (other != own_model_.id) {
    Refusal refused;
    auto model = request_.models->acquire(other, work_, refused);
    if (!model.ok()) {
      if (work_.cancel.cancelled()) return false;
      dispatcher_.error(scope_, code_name(model.status().code()),
                        why + "; \"" + other + "\" cannot answer in its place: " + model.status().message(), "generate",
                        true);
      return false;
    }
    own_model_ = *std::move(model);
    asked_.adapters = nullptr;  // of a conversation with the other model
    asked_.params.adapters.clear();
  }
  dispatcher_.error(scope_, code_name(answer.status.code()), why + "; \"" + other + "\" answers in its place",
                    "generate", true);
  events_.discard();
  return true;
}

Result<ModelCall::Next> ModelCall::ask_after(const Prompt& prompt) {
  // Text that the caller is about to get must pass these hooks, even if the call is cancelled: only the end of the
  // engine ends them.
  Scope scope = scope_;
  scope.cancel = &work_.closing;
  const auto outcome = fire<points::PostGenerate>(dispatcher_, scope, answer_.decisions, [this](const auto& context) {
    const auto joined = [this](Role role) { return [this, role] { return joined_contents(request_.messages, role); }; };
    context({.content = output_.content,
             .reasoning = output_.reasoning,
             .tool_calls = output_.tool_calls,
             .finish_reason = finish_reason_name(answer_.finish_reason),
             .usage = usage_,
             .tier = scope_.tier,
             .system_prompt = joined(Role::kSystem),
             .tool_context = joined(Role::kTool)});
  });
  if (const auto content = outcome.changes().content()) {
    Status status = replace_content(*content, prompt);
    if (!status.ok()) return status;
  }
  if (const auto halt = outcome.answers().halt()) {
    answer_.halt = Stop{halt.by(), reason_or(*halt)};
  } else if (retry(outcome.answers().retry()) == Next::kRetry) {
    return Next::kRetry;
  }
  events_.release();
  return Next::kDone;
}

// Calls that are declared in the new text replace the model's calls; without any, the model's calls stay.
Status ModelCall::replace_content(const std::string& content, const Prompt& prompt) {
  if (content == output_.content) return {};
  auto parsed = read_foreign(prompt, content);
  if (!parsed.ok()) return parsed.status();
  output_.content = std::move(parsed->content);
  if (!parsed->tool_calls.empty()) {
    output_.tool_calls = std::move(parsed->tool_calls);
    number_calls(output_.tool_calls, request_.taken_ids);
  }
  events_.replace(output_);
  return {};
}

ModelCall::Next ModelCall::retry(const Given<std::string>& feedback) {
  const bool may = answer_.finish_reason != FinishReason::kCancelled && answer_.finish_reason != FinishReason::kError;
  if (!feedback || !may) return Next::kDone;
  if (retries_ == kMaxRetries) {
    dispatcher_.error(scope_, code_name(Code::kRetryLimit),
                      "the hook " + feedback.by() + " asked for more than " + std::to_string(kMaxRetries) +
                          " retries; the last answer stands",
                      "generate", true);
    return Next::kDone;
  }
  ++retries_;
  if (asked_.raw) {
    (asked_.infill ? asked_.infill->middle : asked_.prompt) += output_.content + "\n" + *feedback + "\n";
  } else {
    const MessagePtr begun = asked_.continue_final_message ? take_last(asked_.messages) : nullptr;
    asked_.messages.push_back(
        answer_message((begun ? begun->content.str() : "") + output_.content, "", output_.tool_calls));
    append_refusals(asked_.messages, output_.tool_calls, "not run: the answer was rejected");
    asked_.messages.push_back(user_message(*feedback));
    if (begun) asked_.messages.push_back(begun);
  }
  events_.discard();
  return Next::kRetry;
}

Messages ModelCall::new_messages() const {
  const bool nothing = answer_.content.empty() && answer_.tool_calls.empty();
  if (!answer_.status.ok() || (answer_.finish_reason == FinishReason::kCancelled && nothing)) return {};
  std::string content = answer_.content;
  std::string reasoning = answer_.reasoning;
  if (request_.continue_final_message) {
    content.insert(0, request_.messages.back()->content);
    reasoning.insert(0, request_.messages.back()->reasoning);
  }
  Messages messages = {answer_message(std::move(content), std::move(reasoning), answer_.tool_calls)};
  if (answer_.halt) {
    append_refusals(messages, answer_.tool_calls, "refused: " + answer_.halt->reason);
  } else if (answer_.cancel) {
    append_refusals(messages, answer_.tool_calls, "not run: " + answer_.cancel->reason);
  }
  return messages;
}

}  // namespace lh
