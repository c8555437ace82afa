#include "llama/prompt/chat_prompt.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/caught.h"
#include "base/shortage.h"
#include "base/system/log.h"
#include "base/text/names.h"
#include "base/threads/cancel.h"
#include "llama/grammar/gbnf.h"
#include "llama/jinja/once.h"
#include "llama/output/output.h"
#include "llama/prompt/argument_mark.h"
#include "llama/prompt/chat_inputs.h"
#include "llama/prompt/continuation.h"
#include "llama/prompt/either_answer.h"
#include "llama/prompt/infill.h"

namespace lh {
namespace {

constexpr uint64_t kWholeSteps = 4'000'000;
constexpr size_t kFarTooLong = 4;  // contexts; of a longer prompt it does not matter how long it is

// The template, and the one that llama.cpp uses in its place if there are tools.
std::string all_sources(const llama_model* model, const LlamaTemplate& chosen) {
  const char* const with_tools = llama_model_chat_template(model, "tool_use");
  return chosen.source() + (with_tools == nullptr ? "" : with_tools);
}

std::vector<std::string> names_of(const std::vector<common_chat_tool>& tools) {
  std::vector<std::string> names;
  for (const common_chat_tool& tool : tools) names.push_back(tool.name);
  return names;
}

}  // namespace

LlamaChat::LlamaChat(const llama_model* model, std::unique_ptr<LlamaTemplate> chat_template, int32_t context_size)
    : identity_(std::make_shared<const char>()),
      vocab_(llama_model_get_vocab(model)),
      context_size_(context_size),
      tokenizer_(model),
      template_(std::move(chat_template)),
      content_marks_(tokenizer_.special(), all_sources(model, *template_)),
      schemas_(vocab_),
      prompt_tokens_(tokenizer_) {}

Result<std::unique_ptr<LlamaChat>> LlamaChat::create(const llama_model* model, const std::string& override_template,
                                                     int32_t context_size) {
  auto chat_template = LlamaTemplate::create(model, override_template);
  if (!chat_template.ok()) return chat_template.status();
  return std::unique_ptr<LlamaChat>(new LlamaChat(model, *std::move(chat_template), context_size));
}

std::string LlamaChat::source() const { return template_->source(); }

const LlamaPrompt* LlamaChat::own(const Prompt& prompt) const {
  const auto* made = dynamic_cast<const LlamaPrompt*>(&prompt);
  return made != nullptr && made->maker() == identity_ ? made : nullptr;
}

Result<std::unique_ptr<Prompt>> LlamaChat::prepare(const PromptRequest& request, const SamplingParams& params) const {
  if (!params.grammar.empty()) {
    if (Status status = check_grammar(schemas_.tokens(), params.grammar); !status.ok()) return status;
  }
  if (Status status = check_tool_choice(request, params.tool_choice); !status.ok()) return status;
  if (Status status = check_continuation(request, params); !status.ok()) return status;
  const bool tools = request.tools != nullptr && !request.tools->empty() && params.tool_choice.may_call();
  if (tools && !params.grammar.empty()) {
    return Status(Code::kInvalidArgument,
                  "params.grammar excludes tools that the model may call: they come with a grammar of their own; "
                  "remove one, or set " +
                      shown_field("tool_choice") + " \"none\"");
  }
  const Shortage shortage;
  const Renderings remembered;
  try {
    auto made = request.messages == nullptr ? raw(request, params) : render(request, params);
    if (!made.ok() && shortage.seen()) return shortage.status();
    return made;
  } catch (const std::exception&) {  // from the tokenizer or the parser's loader
    if (shortage.seen()) return shortage.status();
    return caught_as(Code::kTemplateFailed, "the prompt cannot be made: ");
  }
}

Result<std::unique_ptr<Prompt>> LlamaChat::raw(const PromptRequest& request, const SamplingParams& params) const {
  auto grammar = std::make_shared<GrammarSpec>();
  if (!params.grammar.empty()) grammar->grammar = {COMMON_GRAMMAR_TYPE_USER, params.grammar};
  if (params.json_schema) {
    auto compiled = schemas_.compile(*params.json_schema, shown_field("params.json_schema"), params.strict_schema);
    if (!compiled.ok()) return compiled.status();
    grammar->grammar = {COMMON_GRAMMAR_TYPE_USER, (*compiled)->grammar};
  }
  std::string text(request.raw);
  Result<LlamaPrompt::Tokens> tokens = tokens_of(text, request, {});
  if (!tokens.ok()) return tokens.status();
  std::unique_ptr<Prompt> prompt =
      std::make_unique<LlamaPrompt>(identity_, std::move(text), *std::move(tokens),
                                    AnswerFormat{std::move(grammar), {}, {}, make_plain_format(), {}, {}, false});
  return prompt;
}

bool LlamaChat::one_call_a_message() const {
  return template_->able("supports_tool_calls") && !template_->able("supports_parallel_tool_calls");
}

void LlamaChat::warn_of_undescribed_tools() const {
  if (template_->able("supports_tools")) return;
  if (warned_.exchange(true)) return;
  log_line(LogLevel::kWarn,
           "the chat template has tool calls, but does not tell the model of its tools: describe them in a message");
}

// Control tokens that the conversation spells out are marked while the template renders them.
Result<LlamaChat::Rendered> LlamaChat::render_marked(const PromptRequest& request, const SamplingParams& params,
                                                     common_chat_templates_inputs& inputs) const {
  Rendered made;
  if (params.special_tokens == SpecialTokens::kText) {
    // A message that is continued is changed for the template.
    const bool as_given = !request.continue_final_message;
    auto with_marks = content_marks_.mark(inputs, as_given ? clean_.known(*request.messages) : 0, request.cancel);
    if (!with_marks.ok()) return with_marks.status();
    made.marked = *std::move(with_marks);
    if (as_given && !made.marked) clean_.keep(*request.messages);
  }
  auto rendered = template_->render(made.marked ? made.marked->inputs : inputs);
  if (!rendered.ok()) {  // report bad schemas of tools first, because they may have made the template fail
    Status status = compile_tools(request, params, inputs);
    if (!status.ok()) return status;
    return made.marked ? made.marked->without_marks(rendered.status()) : rendered.status();
  }
  made.chat = *std::move(rendered);
  if (made.marked) {
    made.marks = content_marks_.unmark(made.chat.prompt, *made.marked);
    made.marked->take_out(made.chat.generation_prompt);
  }
  return made;
}

Result<std::unique_ptr<Prompt>> LlamaChat::render(const PromptRequest& request, const SamplingParams& params) const {
  common_chat_templates_inputs inputs = chat_inputs(request, params);
  if (params.preserve_reasoning) inputs.chat_template_kwargs.emplace(kPreserveReasoning, "true");
  // If there is room for one call only, the grammar lets the model write only one. What the caller wants is left to the
  // reader of the answer: some grammars for one call do not fit the text that triggers them.
  inputs.parallel_tool_calls = !one_call_a_message();
  if (request.continue_final_message) return render_continued(request, params, std::move(inputs));
  std::string answer_grammar;
  if (params.json_schema) {
    auto compiled = schemas_.compile(*params.json_schema, shown_field("params.json_schema"), params.strict_schema);
    if (!compiled.ok()) return compiled.status();
    inputs.json_schema = (*compiled)->schema;
    answer_grammar = (*compiled)->grammar;
  }
  auto rendered = render_marked(request, params, inputs);
  if (!rendered.ok()) return rendered.status();
  auto& [chat, marked, marks] = *rendered;
  const FormatKey key = format_key(inputs, params).add(chat.generation_prompt);
  auto format = marked ? format_of_marked(request, params, inputs, answer_grammar, key, *marked, marks, chat)
                       : make_format(request, params, inputs, answer_grammar, key, chat);
  if (!format.ok()) return format.status();
  return prompt_of(request, params, std::move(chat.prompt), marks, **format);
}

// The rest of the message is read like the rest of an answer to the messages before it.
Result<std::unique_ptr<Prompt>> LlamaChat::render_continued(const PromptRequest& request, const SamplingParams& params,
                                                            common_chat_templates_inputs inputs) const {
  common_chat_templates_inputs before = inputs;
  if (before.messages.size() > 1) before.messages.pop_back();
  before.add_generation_prompt = true;
  auto opened = template_->render(before);
  if (!opened.ok()) return opened.status();

  inputs.add_generation_prompt = false;
  auto continuation = Continuation::begin(inputs);
  if (!continuation.ok()) return continuation.status();
  auto rendered = render_marked(request, params, inputs);
  if (!rendered.ok()) return continuation->without_mark(rendered.status());
  std::string& text = rendered->chat.prompt;
  if (Status status = continuation->cut(text, rendered->marks); !status.ok()) return status;

  const std::string opening = continuation->opening(text, *opened);
  const bool callable = !inputs.tools.empty() && params.tool_choice.may_call();
  const FormatKey key = format_key(before, params).add(opened->generation_prompt);
  auto whole = make_format(request, params, before, {}, key, *opened);
  if (!whole.ok()) return whole.status();
  auto rest = continued_format(**whole, opening, callable);
  if (!rest.ok()) return rest.status();
  return prompt_of(request, params, std::move(text), rendered->marks, *std::move(rest));
}

// The template writes the beginning-of-text token itself; llama.cpp adds one only if the vocabulary requires it and the
// text does not begin with it.
Result<std::unique_ptr<Prompt>> LlamaChat::prompt_of(const PromptRequest& request, const SamplingParams& params,
                                                     std::string text, const TokenMarks& marks,
                                                     AnswerFormat answer) const {
  answer.one_call = one_call_a_message() || !params.parallel_tool_calls;
  if (!params.grammar.empty()) apply_grammar(answer, vocab_, params.grammar);
  Result<LlamaPrompt::Tokens> tokens = tokens_of(text, request, marks);
  if (!tokens.ok()) return tokens.status();
  std::unique_ptr<Prompt> prompt =
      std::make_unique<LlamaPrompt>(identity_, std::move(text), *std::move(tokens), std::move(answer));
  return prompt;
}

// A prompt that cannot fit is not tokenized, or not to its end.
Result<LlamaPrompt::Tokens> LlamaChat::tokens_of(const std::string& text, const PromptRequest& request,
                                                 const TokenMarks& marks) const {
  if (request.only_text) return LlamaPrompt::Tokens();
  const auto most = static_cast<size_t>(context_size_);
  if (const size_t least = tokenizer_.least_tokens(text.size()); least > most) {
    return LlamaPrompt::Tokens{{}, static_cast<int64_t>(least), false};
  }
  if (request.infill != nullptr) {
    auto tokens = infill_tokens(tokenizer_, *request.infill, request.cancel);
    if (!tokens.ok()) return tokens.status();
    const auto length = static_cast<int64_t>(tokens->size());
    return LlamaPrompt::Tokens{*std::move(tokens), length, true};
  }
  TokenizeHow how{.add_special = true, .parse_special = true, .marks = &marks, .cancel = request.cancel};
  how.most = kFarTooLong * most;
  auto made = request.messages == nullptr ? tokenizer_.tokenize(text, how) : prompt_tokens_.tokenize(text, how);
  if (!made.ok()) return made.status();
  const auto length = static_cast<int64_t>(made->tokens.size());
  return LlamaPrompt::Tokens{std::move(made->tokens), length, made->whole};
}

// Everything but the prompt is made from inputs without marks.
Result<std::shared_ptr<const AnswerFormat>> LlamaChat::format_of_marked(
    const PromptRequest& request, const SamplingParams& params, common_chat_templates_inputs& inputs,
    const std::string& answer_grammar, const FormatKey& key, MarkedInputs& marked, TokenMarks& marks,
    common_chat_params& rendered) const {
  if (auto known = formats_.find(key.text())) return *std::move(known);
  auto plain = template_->render(inputs);
  if (!plain.ok()) return plain.status();
  const std::string before = plain->prompt;
  auto format = make_format(request, params, inputs, answer_grammar, key, *plain);
  if (!format.ok() || plain->prompt == before) return format;
  marked.inputs.tool_choice = COMMON_CHAT_TOOL_CHOICE_NONE;
  auto full = template_->apply(marked.inputs);
  if (!full.ok()) return marked.without_marks(full.status());
  rendered.prompt = std::move(full->prompt);
  marks = content_marks_.unmark(rendered.prompt, marked);
  return format;
}

// Replaces the caller's schemas by those for llama.cpp.
Status LlamaChat::compile_tools(const PromptRequest& request, const SamplingParams& params,
                                common_chat_templates_inputs& inputs) const {
  if (!params.tool_choice.may_call()) return {};
  for (size_t i = 0; i < inputs.tools.size(); ++i) {
    const Tool& tool = *(*request.tools)[i];
    if (tool.parameters.empty()) continue;
    auto compiled = compile_tool(tool, params.strict_schema);
    if (!compiled.ok()) return compiled.status();
    inputs.tools[i].parameters = (*compiled)->schema;
  }
  return {};
}

Result<std::shared_ptr<const CompiledSchema>> LlamaChat::compile_tool(const Tool& tool, bool strict) const {
  const std::string what = "the parameters of the tool \"" + tool.name + "\"";
  auto compiled = schemas_.compile(tool.parameters, what, strict);
  if (compiled.ok() && !(*compiled)->allows_object) {
    return Status(Code::kInvalidSchema, what + " allow no object at #, and arguments are one");
  }
  return compiled;
}

Status LlamaChat::check_tool(const Tool& tool, bool strict) const {
  return tool.parameters.empty() ? Status() : compile_tool(tool, strict).status();
}

// Schemas that pass one by one may be too large together, or in the form that the template gives to arguments. Each was
// checked to its end, so what is too large as a whole passes.
Status LlamaChat::check_whole(const GrammarSpec& spec, bool has_tools) const {
  const std::string& grammar = spec.grammar.grammar;
  if (grammar.empty() || checked_.find(grammar).has_value()) return {};
  GrammarBudget budget{.steps = kWholeSteps, .thorough = false};
  const std::string fault = fault_of_grammar(schemas_.tokens(), grammar, budget);
  if (fault.empty()) {
    if (!CancelScope::cancelled()) checked_.keep(grammar, true);
    return {};
  }
  const std::string what =
      has_tools ? "the parameters of the tools cannot be made one grammar: "
                : shown_field("params.json_schema") + " cannot be made a grammar in the template's format: ";
  return {Code::kInvalidSchema, what + fault};
}

// The answer holds for all prompts with this key if llama.cpp's full rendering is the same; otherwise `rendered` gets
// the new prompt. The model sees what is `written`: parts that the grammar cannot express, and tools that may not be
// called now, may still inform it.
Result<TemplateAnswerPtr> LlamaChat::answer_of(const common_chat_templates_inputs& written,
                                               common_chat_templates_inputs& inputs, bool callable,
                                               const FormatKey& key, common_chat_params& rendered) const {
  FormatKey everywhere = template_->key().add(key.text());
  for (const common_chat_tool& tool : inputs.tools) everywhere.add(tool.parameters);
  if (const auto known = known_answers().find(everywhere.text())) return *known;
  const Shortage shortage;
  auto applied = template_->apply(inputs);
  if (!applied.ok()) return applied.status();
  auto answer = std::make_shared<TemplateAnswer>();
  answer->chat = *std::move(applied);
  mark_arguments_once(answer->chat);
  add_ends_of_reasoning(answer->chat);
  const common_chat_params& chat = answer->chat;
  // Otherwise calls would be lost: they could not be recognised in the model's text.
  if (callable && chat.parser.find("\"tool-name\"") == std::string::npos) {
    return Status(Code::kToolsUnsupported,
                  "the model's chat template has no tool calls that llama.cpp knows; without tools, or with " +
                      shown_field("tool_choice") + " \"none\", it works");
  }
  answer->output = make_chat_format(chat, callable ? inputs.tools : std::vector<common_chat_tool>());
  std::string prompt = std::exchange(answer->chat.prompt, {});
  constexpr auto kParameters = &common_chat_tool::parameters;
  if (written.json_schema != inputs.json_schema ||
      !std::ranges::equal(written.tools, inputs.tools, {}, kParameters, kParameters)) {
    common_chat_templates_inputs shown = written;
    shown.tool_choice = COMMON_CHAT_TOOL_CHOICE_NONE;
    auto as_written = template_->apply(shown);
    if (!as_written.ok()) return as_written.status();
    prompt = std::move(as_written->prompt);
  }
  answer->for_all = prompt == rendered.prompt && chat.generation_prompt == rendered.generation_prompt;
  if (!answer->for_all) {
    log_line(LogLevel::kDebug, "the chat template renders otherwise in full: its format is made anew for each prompt");
    rendered.prompt = std::move(prompt);
  } else if (!shortage.seen()) {
    known_answers().keep(everywhere.text(), answer, chat.grammar.size() + chat.parser.size());
  }
  return TemplateAnswerPtr(std::move(answer));
}

Result<std::shared_ptr<const AnswerFormat>> LlamaChat::make_format(
    const PromptRequest& request, const SamplingParams& params, common_chat_templates_inputs& inputs,
    const std::string& answer_grammar, const FormatKey& key, common_chat_params& rendered) const {
  if (auto known = formats_.find(key.text())) return *std::move(known);
  const common_chat_templates_inputs written = inputs;
  if (Status status = compile_tools(request, params, inputs); !status.ok()) return status;
  const bool callable = !inputs.tools.empty() && params.tool_choice.may_call();
  const bool either = callable && params.json_schema && !params.tool_choice.must_call();
  // llama.cpp makes a parser for calls or for a schema. With tools and a schema, some formats constrain nothing.
  if (callable) {
    inputs.json_schema.clear();
    keep_callable(params.tool_choice, inputs.tools);
    if (either) inputs.tool_choice = COMMON_CHAT_TOOL_CHOICE_REQUIRED;
  } else if (params.json_schema) {
    inputs.tools.clear();
  }
  const bool has_tools = !inputs.tools.empty();
  std::vector<std::string> names = callable ? names_of(inputs.tools) : std::vector<std::string>();
  auto first = answer_of(written, inputs, callable, key, rendered);
  if (!first.ok()) return first.status();
  if (callable) warn_of_undescribed_tools();
  TemplateAnswer answer = **first;
  if (either) {
    inputs.tools.clear();
    inputs.tool_choice = COMMON_CHAT_TOOL_CHOICE_NONE;
    auto answers = answer_of(written, inputs, false, FormatKey(key).add("plain"), rendered);
    if (answers.ok() && !has_one_text(**answers)) {
      inputs.json_schema = written.json_schema;
      answers = answer_of(written, inputs, false, FormatKey(key).add("by schema"), rendered);
    }
    if (!answers.ok()) return answers.status();
    answer = either_answer(**first, **answers, answer_grammar);
  }
  const common_chat_params& chat = answer.chat;
  auto format = std::make_shared<AnswerFormat>();
  // Some formats have no place for an answer by a schema: then the whole answer follows the schema.
  if (!callable && !answer_grammar.empty() && chat.grammar.empty()) {
    format->output = make_plain_format();
    format->grammar = make_grammar_spec(vocab_, chat, {COMMON_GRAMMAR_TYPE_USER, answer_grammar}, has_tools);
  } else {
    format->output = answer.output;
    format->grammar = make_grammar_spec(vocab_, chat, {}, has_tools);
    if (Status status = check_whole(*format->grammar, callable); !status.ok()) return status;
  }
  format->stops = chat.additional_stops;
  format->tools = std::move(names);
  format->thought_start = chat.thinking_start_tag;
  if (!chat.thinking_end_tags.empty()) format->thought_end = chat.thinking_end_tags.front();
  if (answer.for_all) {
    formats_.keep(key.text(), format, chat.grammar.size() + answer_grammar.size() + chat.parser.size());
  }
  return std::shared_ptr<const AnswerFormat>(std::move(format));
}

}  // namespace lh
