#include "engine/generation.h"

#include <algorithm>
#include <exception>

#include "engine/message_text.h"
#include "inference/messages.h"

namespace lh {
namespace {

constexpr int kMaxRetries = 3;  // a hook that is never content must not keep a model busy for ever

Json usage_json(const Usage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"cached_tokens", usage.cached_tokens},
          {"completion_tokens", usage.completion_tokens},
          {"prompt_ms", usage.prompt_ms},
          {"decode_ms", usage.decode_ms}};
}

Json refusal_json(const auto& refusal) {
  if (!refusal) return nullptr;
  return {{"by", refusal->by}, {"reason", refusal->reason}};
}

Json null_if_empty(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

Generation::Generation(const Dispatcher& dispatcher, ModelManager::Use model, GenerateRequest request,
                       std::string run_id, Task& task, CancelFlag& closing)
    : dispatcher_(dispatcher),
      model_(std::move(model)),
      request_(std::move(request)),
      run_id_(std::move(run_id)),
      task_(task),
      closing_(closing),
      events_(task, request_.held) {
  scope_.run_id = run_id_;
  scope_.model_id = model_->id;
  scope_.tier = request_.tier;
  scope_.cancel = &task_.cancel_flag();
  scope_.errors = &errors_in_a_row_;
}

TaskEnd Generation::run() {
  try {
    Result<Next> next = Next::kRetry;
    while (next.ok() && *next == Next::kRetry) next = attempt();
    if (!next.ok()) return fail(next.status());
    return {Status(), result()};
  } catch (const std::exception& error) {  // a task's thread is a border too: what fails here must show
    return fail(Status(Code::kInternal, error.what()));
  }
}

Result<Generation::Next> Generation::attempt() {
  fire_budget();
  bool answered = false;
  if (Status status = ask_before(answered); !status.ok()) return status;
  if (answered) return Next::kDone;
  auto prompt = prepare(true);
  if (!prompt.ok()) return prompt.status();
  const Status called = call_model(**prompt);
  if (called.ok()) return ask_after(prompt->get());
  finish_reason_ = "error";
  if (auto after = ask_after(prompt->get()); !after.ok()) return after.status();
  return called;
}

Result<std::unique_ptr<Prompt>> Generation::prepare(bool with_tools) const {
  PromptRequest request;
  if (request_.raw) {
    request.raw = request_.prompt;
  } else {
    request.messages = &request_.messages;
    if (with_tools) request.tools = &request_.tools;
  }
  SamplingParams params = request_.params;
  if (!with_tools) params.tool_choice = ToolChoice::kNone;
  return model_->generator->prepare(request, params);
}

void Generation::report_uncounted(const Status& status) {
  dispatcher_.error(scope_, code_name(status.code()), "the context cannot be counted: " + status.message(), "generate",
                    true);
}

void Generation::fire_budget() {
  if (!dispatcher_.has(LH_HOOK_ON_CONTEXT_BUDGET)) return;  // counting costs a rendering of the prompt or two
  // An observer must not end a call that a PRE_GENERATE hook may yet mend.
  const auto prompt = prepare(true);
  if (!prompt.ok()) return report_uncounted(prompt.status());
  const auto total = static_cast<int64_t>((*prompt)->tokens().size());
  int64_t tools = 0;
  int64_t persona = 0;
  if (!request_.tools.empty()) {
    const auto bare = prepare(false);
    if (!bare.ok()) return report_uncounted(bare.status());
    tools = std::max<int64_t>(0, total - static_cast<int64_t>((*bare)->tokens().size()));
  }
  if (!request_.raw) {
    const std::string system = joined_contents(request_.messages, "system");
    persona = static_cast<int64_t>(model_->generator->tokenize(system, false, false).size());
  }
  const int64_t limit = model_->generator->context_size();
  const double utilization = static_cast<double>(total) / static_cast<double>(limit);
  const Outcome outcome = dispatcher_.fire(LH_HOOK_ON_CONTEXT_BUDGET, scope_, [&](std::string& out) {
    append_members(out, {{"persona_tokens", persona},
                         {"tool_schema_tokens", tools},
                         {"history_tokens", std::max<int64_t>(0, total - persona - tools)},
                         {"total_tokens", total},
                         {"max_tokens", limit},
                         {"utilization", utilization},
                         {"over_budget", utilization > 0.85}});
  });
  keep(outcome->decision);
}

// `answered`: the result is there without a call of the model.
Status Generation::ask_before(bool& answered) {
  const Outcome outcome = dispatcher_.fire(LH_HOOK_PRE_GENERATE, scope_, [this](std::string& out) {
    Json context = {{"messages", request_.messages}};
    if (request_.raw) context["prompt"] = request_.prompt;
    context["params"] = sampling_params_json(request_.params);
    context["tools"] = request_.tools;
    context["tier"] = null_if_empty(request_.tier);
    context["iteration"] = nullptr;
    append_members(out, context);
  });
  keep(outcome->decision);
  if (outcome->decision.decided_by) {
    cancel_ = Refusal{outcome->decision.decided_by->name, *outcome->decision.reason};
  } else if (task_.cancel_flag().cancelled()) {
    cancel_ = Refusal{"caller", task_.cancel_flag().reason()};
  }
  if (cancel_) {
    finish_reason_ = "cancelled";
    answered = true;
    return {};
  }
  if (!request_.raw && outcome->changes.contains("prompt")) {
    dispatcher_.error(scope_, code_name(Code::kHookBadAnswer),
                      "the hook " + named_by(outcome->decision, "prompt")->name +
                          " answered PRE_GENERATE with a prompt; this call has messages, and goes on with them",
                      "generate", true);
  }
  if (!outcome->changes.is_null()) {
    if (Status status = apply_changes(outcome->changes); !status.ok()) return status;
  }
  if (outcome->answers.is_object() && outcome->answers.contains("response")) {
    answered = true;
    return use_response(outcome->answers["response"].get<std::string>());
  }
  return {};
}

Status Generation::apply_changes(const Json& changes) {
  const auto names_some = [&changes](const char* field) { return changes.contains(field) && !changes[field].empty(); };
  if (request_.raw && (names_some("messages") || names_some("tools"))) {
    dispatcher_.error(scope_, code_name(Code::kHookBadAnswer),
                      "a hook answered PRE_GENERATE with messages or tools; this call has a raw prompt, and goes on with it",
                      "generate", true);
  } else {
    if (changes.contains("messages")) request_.messages = changes["messages"];
    if (changes.contains("tools")) request_.tools = changes["tools"];
  }
  if (request_.raw && changes.contains("prompt")) request_.prompt = changes["prompt"].get<std::string>();
  Status status = request_.raw ? Status() : check_messages(request_.messages);
  if (status.ok()) status = check_tools(request_.tools);
  if (!status.ok()) return Status(status.code(), "after PRE_GENERATE hooks changed it: " + status.message());
  complete_messages(request_.messages);
  if (!changes.contains("params")) return {};
  auto params = parse_sampling_params(changes["params"]);
  if (!params.ok()) {
    return Status(params.status().code(), "after PRE_GENERATE hooks changed it: " + params.status().message());
  }
  request_.params = *std::move(params);
  return {};
}

// The response stands where the model's text would: it is taken apart in the same way.
Status Generation::use_response(const std::string& response) {
  auto prompt = prepare(true);
  if (!prompt.ok()) return prompt.status();
  output_ = parse_foreign(**prompt, response);
  number_tool_calls();
  finish_reason_ = "stop";
  events_.text(PieceKind::kReasoning, output_.reasoning);
  events_.text(PieceKind::kContent, output_.content);
  events_.release();
  return {};
}

Status Generation::call_model(const Prompt& prompt) {
  usage_ = Usage();
  auto stream = model_->generator->start(prompt, request_.params, task_.cancel_flag());
  if (!stream.ok()) return stream.status();
  std::vector<std::string> stops = prompt.stops();
  stops.insert(stops.end(), request_.params.stop.begin(), request_.params.stop.end());
  OutputSplitter splitter(prompt.format(), std::move(stops));
  TokenStage stage(
      dispatcher_, scope_, [this](const StreamedPiece& piece) { events_.piece(piece); },
      [this](const Decision& decision) { keep(decision); });
  const Status status = stream_tokens(**stream, splitter, stage);
  usage_ = (*stream)->usage();
  usage_.completion_tokens = std::min(usage_.completion_tokens, tokens_read_);  // not those decoded ahead of a stop
  spent_.prompt_tokens += usage_.prompt_tokens;
  spent_.cached_tokens += usage_.cached_tokens;
  spent_.completion_tokens += usage_.completion_tokens;
  spent_.prompt_ms += usage_.prompt_ms;
  spent_.decode_ms += usage_.decode_ms;
  take_output(prompt, splitter, stage);
  return status;
}

Status Generation::stream_tokens(TokenStream& stream, OutputSplitter& splitter, TokenStage& stage) {
  int32_t& index = tokens_read_ = 0;
  int32_t last_token = -1;
  double last_logprob = 0;
  while (true) {
    TokenStream::Item item = stream.next();
    if (const auto* progress = std::get_if<PromptProgress>(&item)) {
      const Json figures = {
          {"processed", progress->processed}, {"total", progress->total}, {"cached", progress->cached}};
      const Outcome outcome = dispatcher_.fire(LH_HOOK_ON_PROMPT_PROGRESS, scope_,
                                               [&figures](std::string& out) { append_members(out, figures); });
      keep(outcome->decision);
      events_.progress(*progress);
    } else if (const auto* token = std::get_if<Token>(&item)) {
      if (splitter.stopped() || task_.cancel_flag().cancelled()) continue;  // decoded ahead; nobody will see it
      last_token = token->id;
      last_logprob = token->logprob;
      const double* logprob = request_.params.logprobs ? &last_logprob : nullptr;
      for (Piece& piece : splitter.push(token->bytes)) stage.piece(index, last_token, logprob, std::move(piece));
      ++index;
      if (splitter.stopped()) stream.stop();
    } else {
      const auto& end = std::get<EndOfStream>(item);
      const bool stopped = splitter.stopped() || end.reason == StreamEnd::kStop;
      const bool cancelled = task_.cancel_flag().cancelled();
      finish_reason_ = cancelled ? "cancelled" : stopped ? "stop" : end.reason == StreamEnd::kLength ? "length" : "error";
      // Only a model that ended by itself has finished its sentence, and its tool call.
      for (Piece& piece : splitter.finish(end.reason == StreamEnd::kStop && !splitter.stopped() && !cancelled)) {
        stage.piece(std::max(0, index - 1), last_token, nullptr, std::move(piece));
      }
      stage.flush();
      if (cancelled) cancel_ = Refusal{"caller", task_.cancel_flag().reason()};
      if (end.reason == StreamEnd::kCancelled && !cancelled && !stopped) {
        return Status(Code::kClosed, "the model was unloaded");
      }
      const bool fault = end.reason == StreamEnd::kError && !splitter.stopped() && !cancelled;
      return fault ? end.status : Status();
    }
  }
}

// What counts is what the hooks made of the tokens, not what the model wrote.
void Generation::take_output(const Prompt& prompt, OutputSplitter& splitter, TokenStage& stage) {
  const Status& format = splitter.status();
  if (!format.ok()) dispatcher_.error(scope_, code_name(format.code()), format.message(), "generate", true);
  output_ = splitter.output();
  const bool content_changed = stage.changed(PieceKind::kContent);
  const bool reasoning_changed = stage.changed(PieceKind::kReasoning);
  if (content_changed) output_.content = stage.text(PieceKind::kContent);
  if (reasoning_changed) output_.reasoning = stage.text(PieceKind::kReasoning);
  if (stage.changed(PieceKind::kToolCall)) {
    auto parsed = parse_foreign(prompt, stage.text(PieceKind::kToolCall));
    if (parsed.tool_calls.empty()) {
      dispatcher_.error(scope_, code_name(Code::kHookBadAnswer),
                        "what ON_STREAM_TOKEN hooks made of the tool calls is no tool call", "generate", true);
    }
    output_.tool_calls = std::move(parsed.tool_calls);
  }
  // The parser may have thought better of what it said while the text was growing.
  const bool corrected = (!content_changed && output_.content != stage.text(PieceKind::kContent)) ||
                         (!reasoning_changed && output_.reasoning != stage.text(PieceKind::kReasoning));
  if (corrected) events_.replace(output_);
  number_tool_calls();
}

Result<Generation::Next> Generation::ask_after(const Prompt* prompt) {
  // What the caller is about to get must pass these hooks, cancelled or not: only the end of the engine cuts them off.
  Scope scope = scope_;
  scope.cancel = &closing_;
  const Outcome outcome = dispatcher_.fire(LH_HOOK_POST_GENERATE, scope, [this](std::string& out) {
    append_members(out, {{"content", output_.content},
                         {"reasoning", output_.reasoning},
                         {"tool_calls", output_.tool_calls},
                         {"finish_reason", finish_reason_},
                         {"usage", usage_json(usage_)},
                         {"tier", null_if_empty(request_.tier)},
                         {"system_prompt", joined_contents(request_.messages, "system")},
                         {"tool_context", joined_contents(request_.messages, "tool")}});
  });
  keep(outcome->decision);
  if (outcome->changes.contains("content")) replace_content(outcome->changes["content"].get<std::string>(), prompt);
  const Json& answers = outcome->answers;
  if (answers.is_object() && answers.contains("halt")) {
    halt_ = Refusal{named_by(outcome->decision, "halt")->name, answers["halt"].get<std::string>()};
  } else if (answers.is_object() && answers.contains("retry") && finish_reason_ != "cancelled" &&
             finish_reason_ != "error") {
    if (retries_ < kMaxRetries) {
      prepare_retry(answers["retry"].get<std::string>());
      return Next::kRetry;
    }
    dispatcher_.error(scope, code_name(Code::kRetryLimit),
                      "the hook " + named_by(outcome->decision, "retry")->name + " asked for more than " +
                          std::to_string(kMaxRetries) + " retries; the last answer stands",
                      "generate", true);
  }
  events_.release();
  return Next::kDone;
}

// Replaced before tool calls are parsed: calls in the new text count, and without any the model's own stay.
void Generation::replace_content(const std::string& content, const Prompt* prompt) {
  if (content == output_.content) return;
  ParsedOutput parsed = parse_foreign(*prompt, content);
  output_.content = std::move(parsed.content);
  if (!parsed.tool_calls.empty()) {
    output_.tool_calls = std::move(parsed.tool_calls);
    number_tool_calls();
  }
  events_.replace(output_);
}

void Generation::prepare_retry(const std::string& feedback) {
  ++retries_;
  if (request_.raw) {
    request_.prompt += output_.content + "\n" + feedback + "\n";
  } else {
    request_.messages.push_back({{"role", "assistant"}, {"content", output_.content}});
    if (!output_.tool_calls.empty()) request_.messages.back()["tool_calls"] = output_.tool_calls;
    for (const Json& call : output_.tool_calls) {  // every call gets a result, also one that will not run
      request_.messages.push_back({{"role", "tool"},
                                   {"content", "not run: the answer was rejected"},
                                   {"tool_call_id", call["id"]},
                                   {"tool_name", call["name"]}});
    }
    request_.messages.push_back({{"role", "user"}, {"content", feedback}});
  }
  events_.discard();
  output_ = ParsedOutput();
}

void Generation::number_tool_calls() {
  size_t number = 0;
  for (Json& call : output_.tool_calls) {
    ++number;
    if (call["id"] == "") call["id"] = "call_" + run_id_ + "_" + std::to_string(retries_) + "_" + std::to_string(number);
  }
}

// What a hook did shows in the result; a point without hooks decided nothing.
void Generation::keep(const Decision& decision) {
  if (!decision.hooks.empty()) decisions_.push_back(to_json(decision));
}

TaskEnd Generation::fail(const Status& status) {
  dispatcher_.error(scope_, code_name(status.code()), status.message(), "generate", false);
  return {status, {{"run_id", run_id_}, {"model_id", model_->id}, {"text", output_.content}, {"decisions", decisions_}}};
}

Json Generation::new_messages() const {
  Json answer = {{"role", "assistant"}, {"content", output_.content}};
  if (!output_.reasoning.empty()) answer["reasoning"] = output_.reasoning;
  if (!output_.tool_calls.empty()) answer["tool_calls"] = output_.tool_calls;
  Json messages = Json::array();
  if (finish_reason_ == "cancelled" && output_.content.empty() && output_.tool_calls.empty()) return messages;
  messages.push_back(std::move(answer));
  if (!halt_) return messages;
  for (const Json& call : output_.tool_calls) {
    messages.push_back({{"role", "tool"},
                        {"content", "refused: " + halt_->reason},
                        {"tool_call_id", call["id"]},
                        {"tool_name", call["name"]}});
  }
  return messages;
}

Json Generation::result() const {
  return {{"run_id", run_id_},
          {"model_id", model_->id},
          {"text", output_.content},
          {"reasoning", output_.reasoning},
          {"tool_calls", output_.tool_calls},
          {"finish_reason", finish_reason_},
          {"usage", usage_json(spent_)},
          {"cancel", refusal_json(cancel_)},
          {"halt", refusal_json(halt_)},
          {"messages", new_messages()},
          {"decisions", decisions_}};
}

}  // namespace lh
