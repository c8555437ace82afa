#include "inference/llama_chat.h"

#include <algorithm>
#include <bitset>
#include <cctype>
#include <exception>

#include "json-schema-to-grammar.h"
#include "inference/llama_runtime.h"
#include "inference/llama_vocab.h"

namespace lh {
namespace {

std::string string_of(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string();
}

common_chat_msg chat_message(const Json& message) {
  common_chat_msg converted;
  converted.role = string_of(message, "role");
  converted.content = string_of(message, "content");
  converted.reasoning_content = string_of(message, "reasoning");
  converted.tool_name = string_of(message, "tool_name");
  converted.tool_call_id = string_of(message, "tool_call_id");
  if (message.contains("tool_calls") && message["tool_calls"].is_array()) {
    for (const Json& call : message["tool_calls"]) {
      converted.tool_calls.push_back({string_of(call, "name"), dump_json(call["args"]), string_of(call, "id")});
    }
  }
  return converted;
}

common_chat_tool chat_tool(const Json& tool) {
  const Json parameters =
      tool.value("parameters", Json{{"type", "object"}, {"properties", Json::object()}});
  return {string_of(tool, "name"), string_of(tool, "description"), dump_json(parameters)};
}

common_chat_tool_choice tool_choice(ToolChoice choice) {
  switch (choice) {
    case ToolChoice::kNone: return COMMON_CHAT_TOOL_CHOICE_NONE;
    case ToolChoice::kRequired: return COMMON_CHAT_TOOL_CHOICE_REQUIRED;
    case ToolChoice::kAuto: break;
  }
  return COMMON_CHAT_TOOL_CHOICE_AUTO;
}

class PlainFormat final : public OutputFormat {
 public:
  bool plain() const override { return true; }
  bool goes_on(std::string_view) const override { return true; }
  Result<ParsedOutput> parse(std::string_view text, bool) const override {
    ParsedOutput output;
    output.content = std::string(text);
    return output;
  }
};

class ChatFormat final : public OutputFormat {
 public:
  explicit ChatFormat(const common_chat_params& params, bool plain) : plain_(plain), params_(params) {
    params_.reasoning_format = COMMON_REASONING_FORMAT_AUTO;
    if (!params.parser.empty()) params_.parser.load(params.parser);
    // Tags are made of more than words. Space at an end counts, too: parsers trim it where a part ends.
    for (int byte = 0; byte < 0x80; ++byte) marks_[byte] = std::isalnum(byte) == 0 && kProse.find(byte) == kProse.npos;
    mark(params.thinking_start_tag);
    for (const std::string& tag : params.thinking_end_tags) mark(tag);
    for (const common_grammar_trigger& trigger : params.grammar_triggers) {
      if (trigger.type == COMMON_GRAMMAR_TRIGGER_TYPE_WORD) mark(trigger.value);
    }
  }

  bool plain() const override { return plain_; }

  bool goes_on(std::string_view text) const override {
    if (text.empty() || text.back() == ' ') return false;
    return std::ranges::none_of(text, [this](char c) { return marks_[static_cast<unsigned char>(c)]; });
  }

  Result<ParsedOutput> parse(std::string_view text, bool partial) const override {
    try {
      const common_chat_msg message = common_chat_parse(std::string(text), partial, params_);
      ParsedOutput output;
      output.content = message.content;
      output.reasoning = message.reasoning_content;
      for (const common_chat_tool_call& call : message.tool_calls) {
        Json args = Json::parse(call.arguments, nullptr, false);
        if (!args.is_object()) {
          if (!partial) {
            return Status(Code::kDecodeFailed, "the arguments of the model's call of " + call.name +
                                                   " are not a JSON object: " + call.arguments);
          }
          args = nullptr;
        }
        output.tool_calls.push_back({{"id", call.id}, {"name", call.name}, {"args", std::move(args)}});
      }
      return output;
    } catch (const std::exception& error) {
      return Status(Code::kDecodeFailed, error.what());
    }
  }

 private:
  static constexpr std::string_view kProse = " .,;:!?'\"()-";

  void mark(const std::string& tag) {
    if (!tag.empty()) marks_[static_cast<unsigned char>(tag[0])] = true;
  }

  bool plain_;
  common_chat_parser_params params_;
  std::bitset<256> marks_;  // first bytes of what may end a part
};

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

constexpr int kMaxGrammarDepth = 512;

bool parses(const llama_vocab* vocab, const std::string& grammar) {
  return SamplerPtr(llama_sampler_init_grammar(vocab, grammar.c_str(), "root")) != nullptr;
}

Status check_grammar(const llama_vocab* vocab, const std::string& grammar) {
  // llama.cpp hands this prefix to a library that the shipped build does not have, and aborts.
  if (grammar.starts_with("%llguidance")) {
    return Status(Code::kInvalidGrammar, "params.grammar is for llguidance; only GBNF is supported");
  }
  if (grammar.find('\0') != std::string::npos) {  // where the parser would stop, and take the rest for nothing
    return Status(Code::kInvalidGrammar, "params.grammar holds a NUL character");
  }
  // The parser calls itself for each parenthesis, on the stack of this thread.
  int depth = 0;
  for (const char c : grammar) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth > kMaxGrammarDepth) {
      return Status(Code::kInvalidGrammar,
                    "params.grammar nests parentheses more than " + std::to_string(kMaxGrammarDepth) + " deep");
    }
  }
  if (parses(vocab, grammar)) return {};
  return Status(Code::kInvalidGrammar, "params.grammar is not GBNF with a rule named root");
}

Result<std::string> schema_grammar(const llama_vocab* vocab, const Json& schema) {
  try {
    std::string grammar = json_schema_to_grammar(common_json::parse(dump_json(schema)));
    if (parses(vocab, grammar)) return grammar;
    return Status(Code::kInvalidSchema, "params.json_schema makes a grammar that is too large");
  } catch (const std::exception& error) {
    return Status(Code::kInvalidSchema, std::string("params.json_schema cannot be turned into a grammar: ") + error.what());
  }
}

}  // namespace

LlamaChat::LlamaChat(const llama_model* model, common_chat_templates_ptr templates)
    : vocab_(llama_model_get_vocab(model)), templates_(std::move(templates)) {}

Result<std::unique_ptr<LlamaChat>> LlamaChat::create(const llama_model* model, const std::string& override_template) {
  try {
    return std::unique_ptr<LlamaChat>(new LlamaChat(model, common_chat_templates_init(model, override_template)));
  } catch (const std::exception& error) {
    return Status(Code::kTemplateFailed, std::string("the chat template does not parse: ") + error.what());
  }
}

std::string LlamaChat::source() const { return common_chat_templates_source(templates_.get()); }

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
  if (request.messages == nullptr) return raw(request, params);
  return render(request, params);
}

Result<std::unique_ptr<Prompt>> LlamaChat::raw(const PromptRequest& request, const SamplingParams& params) const {
  GrammarSpec grammar;
  if (!params.grammar.empty()) grammar.grammar = {COMMON_GRAMMAR_TYPE_USER, params.grammar};
  if (params.json_schema) {
    auto converted = schema_grammar(vocab_, *params.json_schema);
    if (!converted.ok()) return converted.status();
    grammar.grammar = {COMMON_GRAMMAR_TYPE_USER, *converted};
  }
  std::unique_ptr<Prompt> prompt = std::make_unique<LlamaPrompt>(
      std::string(request.raw), tokenize(vocab_, request.raw, true, true), std::move(grammar),
      std::vector<std::string>(), std::make_unique<PlainFormat>());
  return prompt;
}

Result<std::unique_ptr<Prompt>> LlamaChat::render(const PromptRequest& request, const SamplingParams& params) const {
  common_chat_templates_inputs inputs;
  for (const Json& message : *request.messages) inputs.messages.push_back(chat_message(message));
  if (request.tools != nullptr) {
    for (const Json& tool : *request.tools) inputs.tools.push_back(chat_tool(tool));
  }
  if (params.json_schema) {
    if (auto checked = schema_grammar(vocab_, *params.json_schema); !checked.ok()) return checked.status();
    inputs.json_schema = dump_json(*params.json_schema);
  }
  inputs.tool_choice = tool_choice(params.tool_choice);
  inputs.parallel_tool_calls = true;
  inputs.add_generation_prompt = request.add_generation_prompt;
  inputs.reasoning_format = COMMON_REASONING_FORMAT_AUTO;

  common_chat_params chat;
  try {
    const MutexLock lock(mutex_);
    chat = common_chat_templates_apply(templates_.get(), inputs);
  } catch (const std::exception& error) {
    return Status(Code::kTemplateFailed, std::string("the chat template failed on these messages: ") + error.what());
  }
  GrammarSpec grammar;
  if (!params.grammar.empty()) {
    grammar.grammar = {COMMON_GRAMMAR_TYPE_USER, params.grammar};
  } else if (!chat.grammar.empty()) {
    grammar.grammar = {inputs.tools.empty() ? COMMON_GRAMMAR_TYPE_OUTPUT_FORMAT : COMMON_GRAMMAR_TYPE_TOOL_CALLS,
                       chat.grammar};
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
  const bool plain = inputs.tools.empty() && !chat.supports_thinking;
  // The template writes its own beginning-of-text token; llama.cpp adds one only where the vocabulary asks for it and
  // the text does not begin with it already.
  std::vector<int32_t> tokens = tokenize(vocab_, chat.prompt, true, true);
  std::unique_ptr<Prompt> prompt = std::make_unique<LlamaPrompt>(
      chat.prompt, std::move(tokens), std::move(grammar), chat.additional_stops,
      std::make_unique<ChatFormat>(chat, plain));
  return prompt;
}

}  // namespace lh
