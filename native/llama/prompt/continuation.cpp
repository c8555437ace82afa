#include "llama/prompt/continuation.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text/names.h"
#include "base/text/white_space.h"
#include "llama/output/output.h"
#include "llama/prompt/content_marks.h"

namespace lh {
namespace {

std::string option() { return shown_field("request.continue_final_message"); }

// Replaces the text of the message for the parser of the output, because the text itself may look like a call.
constexpr std::string_view kStandIn = "x";

Status not_at_the_end(const std::string& what) {
  return {Code::kTemplateFailed, option() + ": the model's chat template " + what + "; set " +
                                     shown_field("chat_template") + " to one that writes the messages as they are"};
}

// True if the template writes the message where it has the model reason.
bool opens_thought(const std::string& opening, const GrammarSpec& grammar) {
  return grammar.prompted == GrammarSpec::Prompted::kOpen && opening == grammar.generation_prompt;
}

// Parses the rest of an answer behind a text that brings the parser to where the rest begins.
class ContinuedFormat final : public OutputFormat {
 public:
  ContinuedFormat(std::shared_ptr<const OutputFormat> whole, std::string lead)
      : whole_(std::move(whole)), lead_(std::move(lead)) {
    lead_ += kStandIn;
  }

  bool plain() const override { return whole_->plain(); }
  const Marks& marks() const override { return whole_->marks(); }
  bool begins_mark(std::string_view text) const override { return whole_->begins_mark(text); }
  Result<ParsedOutput> parse_calls(std::string_view text) const override { return whole_->parse_calls(text); }

  Result<ParsedOutput> parse(std::string_view text, bool partial) const override {
    auto parsed = whole_->parse(lead_ + std::string(text), partial);
    if (!parsed.ok()) return parsed;
    if (parsed->content.starts_with(kStandIn)) parsed->content.erase(0, kStandIn.size());
    if (only_space(parsed->reasoning)) parsed->reasoning.clear();
    if (parsed->unread) parsed->unread->at -= std::min(parsed->unread->at, lead_.size());
    return parsed;
  }

  // True if the continuation of a text is read as content.
  [[nodiscard]] bool reads() const {
    constexpr std::string_view kRest = " and more";
    const auto parsed = whole_->parse(lead_ + std::string(kRest), true);
    return parsed.ok() && !parsed->unread && parsed->content == std::string(kStandIn) + std::string(kRest) &&
           only_space(parsed->reasoning);
  }

 private:
  std::shared_ptr<const OutputFormat> whole_;
  std::string lead_;
};

}  // namespace

Status check_continuation(const PromptRequest& request, const SamplingParams& params) {
  if (!request.continue_final_message) return {};
  const auto refused = [](const std::string& why) { return Status(Code::kInvalidArgument, option() + why); };
  if (request.messages == nullptr) return refused(" needs messages: a raw prompt has no message that can be continued");
  const size_t last = request.messages->size() - 1;
  const std::string at = "messages[" + std::to_string(last) + "]";
  const Message& message = *request.messages->back();
  if (message.role != Role::kAssistant) {
    return refused(" needs a message of the assistant at the end, and " + at + " is none");
  }
  if (!message.tool_calls.empty()) return refused(" needs a message without tool calls, and " + at + " has some");
  if (params.json_schema)
    return refused(" excludes " + shown_field("json_schema") + ", which is the form of a whole message");
  if (params.tool_choice.must_call()) {
    return refused(" excludes a " + shown_field("tool_choice") +
                   " that requires a call, because the message has begun as a text");
  }
  return {};
}

Result<Continuation> Continuation::begin(common_chat_templates_inputs& inputs) {
  std::string mark = unused_character(inputs);
  if (mark.empty()) {
    return Status(Code::kTemplateFailed, option() +
                                             ": the conversation has every private character of Unicode, so that none "
                                             "is left to find the end of the last message in the prompt");
  }
  std::string& content = inputs.messages.back().content;
  Continuation made(mark, content);
  content += mark;
  return made;
}

Status Continuation::cut(std::string& prompt, TokenMarks& marks) const {
  const size_t at = prompt.find(mark_);
  if (at == std::string::npos) return not_at_the_end("leaves out the end of the last message");
  if (prompt.find(mark_, at + mark_.size()) != std::string::npos) {
    return not_at_the_end("writes the last message more than once");
  }
  prompt.resize(at);
  std::erase_if(marks, [at](const TokenMark& mark) { return mark.at > at; });
  if (!prompt.ends_with(text_)) return not_at_the_end("changes the text of the last message");
  return {};
}

Status Continuation::without_mark(const Status& status) const {
  std::string message = status.message();
  for (size_t at = message.find(mark_); at != std::string::npos; at = message.find(mark_, at)) {
    message.erase(at, mark_.size());
  }
  return {status.code(), std::move(message)};
}

std::string Continuation::opening(const std::string& prompt, const common_chat_params& before) const {
  const std::string_view head = std::string_view(prompt).substr(0, prompt.size() - text_.size());
  std::string_view earlier = before.prompt;
  if (earlier.ends_with(before.generation_prompt)) earlier.remove_suffix(before.generation_prompt.size());
  return head.starts_with(earlier) ? std::string(head.substr(earlier.size())) : std::string();
}

Result<AnswerFormat> continued_format(const AnswerFormat& whole, const std::string& opening, bool callable) {
  AnswerFormat rest = whole;
  const GrammarSpec& grammar = *whole.grammar;
  if (callable && !grammar.grammar.empty() && !grammar.lazy) {
    return Status(Code::kToolsUnsupported, option() +
                                               ": in the format of the model's chat template, no call can follow a "
                                               "text; without tools, or with " +
                                               shown_field("tool_choice") + " \"none\", it works");
  }
  if (opens_thought(opening, grammar)) return not_at_the_end("writes the last message as reasoning");
  // The message's text is not reasoning, whatever an answer would begin with.
  auto changed = std::make_shared<GrammarSpec>(grammar);
  changed->generation_prompt = opening;
  changed->prompted = grammar.knows_reasoning() ? GrammarSpec::Prompted::kEnded : GrammarSpec::Prompted::kNothing;
  changed->prompted_tokens = 0;
  if (!callable) {
    changed->grammar = {};
    changed->lazy = false;
    changed->triggers.clear();
  }
  rest.grammar = std::move(changed);
  for (const std::string& lead : {std::string(), whole.thought_end, whole.thought_start + whole.thought_end}) {
    auto format = std::make_shared<ContinuedFormat>(whole.output, lead);
    if (!format->plain() && !format->reads()) continue;
    rest.output = std::move(format);
    return rest;
  }
  if (callable) {
    return Status(Code::kToolsUnsupported, option() +
                                               ": llama.cpp cannot read the rest of an answer in the format of the "
                                               "model's chat template; without tools, or with " +
                                               shown_field("tool_choice") + " \"none\", it works");
  }
  rest.output = make_plain_format();
  return rest;
}

}  // namespace lh
