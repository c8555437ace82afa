#include "inference/llama_chat.h"

#include <algorithm>
#include <exception>

#include "base/log.h"
#include "inference/llama_call_ids.h"
#include "inference/llama_gbnf.h"
#include "inference/llama_output.h"
#include "inference/llama_vocab.h"

namespace lh {
namespace {

std::string role_name(Role role) {
  switch (role) {
    case Role::kSystem: return "system";
    case Role::kAssistant: return "assistant";
    case Role::kTool: return "tool";
    case Role::kUser: break;
  }
  return "user";
}

common_chat_msg chat_message(const Message& message) {
  common_chat_msg converted;
  converted.role = role_name(message.role);
  converted.content = message.content;
  converted.reasoning_content = message.reasoning;
  converted.tool_name = message.tool_name;
  converted.tool_call_id = message.tool_call_id;
  for (const ToolCall& call : message.tool_calls) {
    converted.tool_calls.push_back({call.name, dump_json(call.args), call.id});
  }
  return converted;
}

common_chat_tool chat_tool(const Tool& tool) { return {tool.name, tool.description, dump_json(tool.parameters)}; }

common_chat_tool_choice tool_choice(ToolChoice choice) {
  switch (choice) {
    case ToolChoice::kNone: return COMMON_CHAT_TOOL_CHOICE_NONE;
    case ToolChoice::kRequired: return COMMON_CHAT_TOOL_CHOICE_REQUIRED;
    case ToolChoice::kAuto: break;
  }
  return COMMON_CHAT_TOOL_CHOICE_AUTO;
}

std::vector<std::string> tool_names(const std::vector<common_chat_tool>& tools, bool callable) {
  std::vector<std::string> names;
  for (const common_chat_tool& tool : tools) {
    if (callable) names.push_back(tool.name);
  }
  return names;
}

// A trigger word that is one token becomes a token trigger: the sampler then need not match text.
std::vector<common_grammar_trigger> resolve_triggers(const llama_vocab* vocab,
                                                     const std::vector<common_grammar_trigger>& triggers) {
  std::vector<common_grammar_trigger> resolved;
  for (const common_grammar_trigger& trigger : triggers) {
    resolved.push_back(trigger);
    if (trigger.type != COMMON_GRAMMAR_TRIGGER_TYPE_WORD) continue;
    const std::vector<int32_t> tokens = tokenize(vocab, trigger.value, false, true);
    if (tokens.size() != 1) continue;
    resolved.back().type = COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN;
    resolved.back().token = tokens[0];
  }
  return resolved;
}

// Every special token that the parser reads as text, be it named by the template or by a trigger.
std::set<llama_token> preserved_tokens(const llama_vocab* vocab, const common_chat_params& chat) {
  std::set<llama_token> preserved;
  for (const std::string& text : chat.preserved_tokens) {
    const std::vector<int32_t> tokens = tokenize(vocab, text, false, true);
    if (tokens.size() == 1) preserved.insert(tokens[0]);
  }
  for (const common_grammar_trigger& trigger : chat.grammar_triggers) {
    const std::vector<int32_t> tokens = tokenize(vocab, trigger.value, false, true);
    if (tokens.size() == 1) preserved.insert(tokens[0]);
  }
  return preserved;
}

// What a template that raises an exception says, without the parser's account of where.
std::string words_of(const std::exception& error) {
  const std::string words = error.what();
  constexpr std::string_view kRaised = "Jinja Exception: ";
  const size_t at = words.rfind(kRaised);
  return at == std::string::npos ? words : words.substr(at + kRaised.size());
}

}  // namespace

LlamaChat::LlamaChat(const llama_model* model, common_chat_templates_ptr templates)
    : identity_(std::make_shared<const char>()),
      vocab_(llama_model_get_vocab(model)),
      templates_(std::move(templates)),
      abilities_(common_chat_templates_get_caps(templates_.get())),
      schemas_(vocab_) {}

Result<std::unique_ptr<LlamaChat>> LlamaChat::create(const llama_model* model, const std::string& override_template) {
  try {
    return std::unique_ptr<LlamaChat>(new LlamaChat(model, common_chat_templates_init(model, override_template)));
  } catch (const std::exception& error) {
    return Status(Code::kTemplateFailed, std::string("the chat template does not parse: ") + error.what());
  }
}

std::string LlamaChat::source() const { return common_chat_templates_source(templates_.get()); }

const LlamaPrompt* LlamaChat::own(const Prompt& prompt) const {
  const auto* made = dynamic_cast<const LlamaPrompt*>(&prompt);
  return made != nullptr && made->maker() == identity_ ? made : nullptr;
}

Result<std::unique_ptr<Prompt>> LlamaChat::prepare(const PromptRequest& request, const SamplingParams& params) const {
  if (!params.grammar.empty()) {
    if (Status status = check_grammar(vocab_, params.grammar); !status.ok()) return status;
  }
  const bool tools = request.tools != nullptr && !request.tools->empty() && params.tool_choice != ToolChoice::kNone;
  if (tools && (!params.grammar.empty() || params.json_schema)) {
    return Status(Code::kInvalidArgument,
                  "tools come with a grammar of their own: params.grammar and params.json_schema need tool_choice "
                  "\"none\" or no tools");
  }
  try {
    return request.messages == nullptr ? raw(request, params) : render(request, params);
  } catch (const std::exception& error) {  // of the tokenizer or the parser's reader
    return Status(Code::kTemplateFailed, std::string("the prompt cannot be made: ") + error.what());
  }
}

Result<std::unique_ptr<Prompt>> LlamaChat::raw(const PromptRequest& request, const SamplingParams& params) const {
  GrammarSpec grammar;
  if (!params.grammar.empty()) grammar.grammar = {COMMON_GRAMMAR_TYPE_USER, params.grammar};
  if (params.json_schema) {
    auto compiled = schemas_.compile(*params.json_schema, "params.json_schema", params.strict_schema);
    if (!compiled.ok()) return compiled.status();
    grammar.grammar = {COMMON_GRAMMAR_TYPE_USER, (*compiled)->grammar};
  }
  std::unique_ptr<Prompt> prompt =
      std::make_unique<LlamaPrompt>(identity_, std::string(request.raw), tokenize(vocab_, request.raw, true, true),
                                    std::move(grammar), std::vector<std::string>(), make_plain_format());
  return prompt;
}

// Two calls in one message on a template that has room for one: some raise an exception, some show the first alone.
Status LlamaChat::check_calls(const std::vector<common_chat_msg>& messages) const {
  const auto able = [this](const char* what) { return abilities_.contains(what) && abilities_.at(what); };
  if (!able("supports_tool_calls") || able("supports_parallel_tool_calls")) return {};
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].tool_calls.size() < 2) continue;
    return Status(Code::kToolsUnsupported, "messages[" + std::to_string(i) + "] has " +
                                               std::to_string(messages[i].tool_calls.size()) +
                                               " tool calls, and the model's chat template has room for one a message");
  }
  return {};
}

void LlamaChat::warn_of_undescribed_tools() const {
  if (abilities_.contains("supports_tools") && abilities_.at("supports_tools")) return;
  if (warned_.exchange(true)) return;
  log_line(LogLevel::kWarn,
           "the chat template has tool calls, but does not tell the model of its tools: describe them in a message");
}

Result<common_chat_params> LlamaChat::apply(common_chat_templates_inputs& inputs) const {
  const MutexLock lock(mutex_);
  const bool has_calls = std::ranges::any_of(inputs.messages, [](const auto& m) { return !m.tool_calls.empty(); });
  if (has_calls && short_ids_) shorten_call_ids(inputs.messages);
  try {
    return common_chat_templates_apply(templates_.get(), inputs);
  } catch (const std::exception& error) {
    const Status failed(Code::kTemplateFailed, "the chat template failed on these messages: " + words_of(error));
    if (!has_calls || short_ids_) return failed;
    shorten_call_ids(inputs.messages);
    try {
      common_chat_params applied = common_chat_templates_apply(templates_.get(), inputs);
      short_ids_ = true;
      return applied;
    } catch (const std::exception&) {
      return failed;
    }
  }
}

Result<std::unique_ptr<Prompt>> LlamaChat::render(const PromptRequest& request, const SamplingParams& params) const {
  common_chat_templates_inputs inputs;
  for (const MessagePtr& message : *request.messages) inputs.messages.push_back(chat_message(*message));
  if (Status status = check_calls(inputs.messages); !status.ok()) return status;
  const bool callable = params.tool_choice != ToolChoice::kNone;
  std::vector<common_chat_tool> shown;  // the tools as the caller wrote them, where llama.cpp gets others
  if (request.tools != nullptr) {
    for (const auto& tool : *request.tools) {
      inputs.tools.push_back(chat_tool(*tool));
      shown.push_back(inputs.tools.back());
      if (!callable || tool->parameters.empty()) continue;
      auto compiled =
          schemas_.compile(tool->parameters, "the parameters of the tool \"" + tool->name + "\"", params.strict_schema);
      if (!compiled.ok()) return compiled.status();
      inputs.tools.back().parameters = (*compiled)->schema;
    }
  }
  std::shared_ptr<const CompiledSchema> answer;
  if (params.json_schema) {
    auto compiled = schemas_.compile(*params.json_schema, "params.json_schema", params.strict_schema);
    if (!compiled.ok()) return compiled.status();
    answer = *compiled;
    inputs.json_schema = answer->schema;
  }
  inputs.tool_choice = tool_choice(params.tool_choice);
  inputs.parallel_tool_calls = true;
  inputs.add_generation_prompt = request.add_generation_prompt;
  inputs.reasoning_format = COMMON_REASONING_FORMAT_AUTO;

  auto applied = apply(inputs);
  if (!applied.ok()) return applied.status();
  common_chat_params& chat = *applied;
  const bool has_tools = !inputs.tools.empty();
  if (has_tools && callable) {
    // Without it, tools would vanish: no call of the model's could be told from its text.
    if (chat.parser.find("\"tool-name\"") == std::string::npos) {
      return Status(Code::kToolsUnsupported,
                    "the model's chat template has no tool calls that llama.cpp knows; without "
                    "tools, or with tool_choice \"none\", it works");
    }
    warn_of_undescribed_tools();
  }
  constexpr auto kParameters = &common_chat_tool::parameters;
  if (!std::ranges::equal(shown, inputs.tools, {}, kParameters, kParameters)) {
    // The model is shown what the caller wrote: what the grammar cannot hold may still tell it something.
    inputs.tools = std::move(shown);
    inputs.tool_choice = COMMON_CHAT_TOOL_CHOICE_NONE;
    auto as_written = apply(inputs);
    if (!as_written.ok()) return as_written.status();
    chat.prompt = std::move(as_written->prompt);
  }

  GrammarSpec grammar;
  // Some formats have no place for an answer by a schema: then all of the answer is that.
  const bool bare_answer = answer != nullptr && chat.grammar.empty();
  if (!params.grammar.empty()) {
    grammar.grammar = {COMMON_GRAMMAR_TYPE_USER, params.grammar};
  } else if (bare_answer) {
    grammar.grammar = {COMMON_GRAMMAR_TYPE_USER, answer->grammar};
  } else if (!chat.grammar.empty()) {
    grammar.grammar = {has_tools ? COMMON_GRAMMAR_TYPE_TOOL_CALLS : COMMON_GRAMMAR_TYPE_OUTPUT_FORMAT, chat.grammar};
    grammar.lazy = chat.grammar_lazy;
    grammar.triggers = resolve_triggers(vocab_, chat.grammar_triggers);
  }
  grammar.preserved = preserved_tokens(vocab_, chat);
  grammar.generation_prompt = chat.generation_prompt;
  if (!chat.thinking_start_tag.empty()) {
    grammar.reasoning_start = tokenize(vocab_, chat.thinking_start_tag, false, true);
    for (const std::string& tag : chat.thinking_end_tags) {
      grammar.reasoning_ends.push_back(tokenize(vocab_, tag, false, true));
    }
  }
  // The template writes its own beginning-of-text token; llama.cpp adds one only where the vocabulary asks for it and
  // the text does not begin with it already.
  std::vector<int32_t> tokens = tokenize(vocab_, chat.prompt, true, true);
  std::unique_ptr<Prompt> prompt = std::make_unique<LlamaPrompt>(
      identity_, chat.prompt, std::move(tokens), std::move(grammar), chat.additional_stops,
      bare_answer ? make_plain_format() : make_chat_format(chat, tool_names(inputs.tools, callable)));
  return prompt;
}

}  // namespace lh
