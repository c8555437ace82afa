#include "engine/tasks/requests.h"

#include <algorithm>

#include "base/text/names.h"
#include "generation/conversation_json.h"

namespace lh {
namespace {

// Reads the value of `key` with `read`, if present.
template <typename T>
Status read_by(ObjectReader& reader, const char* key, Result<T> (*read)(const Json&), T& out) {
  const Json* found = reader.value(key);
  if (found == nullptr) return {};
  Result<T> value = read(*found);
  if (!value.ok()) return value.status();
  out = *std::move(value);
  return {};
}

Result<WaitingAnswers> read_answers(const Json& json) { return read_waiting_answers(json, "request.resume"); }

// Checks the parameters and keeps them as given, because they are laid over others.
Status read_sampling(ObjectReader& reader, Json& out) {
  const Json* params = reader.value("params");
  if (params == nullptr) return {};
  const auto read = parse_sampling_params(*params);
  if (!read.ok()) return read.status();
  out = *params;
  return {};
}

// `json`: null if there is none. A history may be empty.
Status read_history(const Json* json, Messages& out) {
  if (json == nullptr || (json->is_array() && json->empty())) return {};
  auto messages = read_messages(*json);
  if (!messages.ok()) return {messages.status().code(), "history: " + messages.status().message()};
  out = *std::move(messages);
  return {};
}

Status check_path(const std::string& path) {
  if (!path.empty() && path.find('\0') == std::string::npos) return {};
  return {Code::kInvalidArgument, "options.path must name a GGUF file"};
}

Result<std::optional<Infill>> read_infill(const Json& json) {
  Infill infill;
  ObjectReader reader(json, "request.infill");
  reader.text("prefix", infill.prefix);
  reader.text("suffix", infill.suffix);
  reader.flag("suffix_first", infill.suffix_first);
  const Json* extra = reader.value("extra");
  if (Status status = reader.done(); !status.ok()) return status;
  if (extra != nullptr && !extra->is_array()) {
    return Status(Code::kInvalidArgument, "request.infill.extra must be an array of {filename, text}");
  }
  for (size_t i = 0; extra != nullptr && i < extra->size(); ++i) {
    Infill::Extra one;
    ObjectReader file((*extra)[i], "request.infill.extra[" + std::to_string(i) + "]");
    file.text("filename", one.filename);
    file.text("text", one.text);
    if (Status status = file.done(); !status.ok()) return status;
    infill.extra.push_back(std::move(one));
  }
  return std::optional<Infill>(std::move(infill));
}

// Reads a request that is a plain struct. `required`: keys that must be present.
template <typename Params>
Result<Params> parse_plain(std::string_view json, const char* what, std::initializer_list<const char*> required = {}) {
  auto object = parse_json(json, what);
  if (!object.ok()) return object.status();
  Params params;
  ObjectReader reader(*object, what);
  read(reader, params);
  if (Status status = reader.done(); !status.ok()) return status;
  for (const char* key : required) {
    if (reader.value(key) == nullptr)
      return Status(Code::kInvalidArgument, std::string(what) + "." + key + " is missing");
  }
  return params;
}

}  // namespace

Result<EngineOptions> parse_engine_options(std::string_view json) {
  return parse_plain<EngineOptions>(json, "options");
}

Result<OwnModelParams> parse_own_model(std::string_view json) {
  return parse_plain<OwnModelParams>(json, "description");
}

Result<LoadRequest> parse_load_request(std::string_view json) {
  auto object = parse_json(json, "options");
  if (!object.ok()) return object.status();
  LoadRequest request;
  ObjectReader reader(*object, "options");
  reader.text("path", request.path);
  read(reader, request.params);
  if (Status status = reader.done(); !status.ok()) return status;
  if (Status status = check_path(request.path); !status.ok()) return status;
  return request;
}

Result<AdapterRequest> parse_adapter_request(std::string_view json) {
  auto object = parse_json(json, "options");
  if (!object.ok()) return object.status();
  AdapterRequest request;
  ObjectReader reader(*object, "options");
  reader.text("path", request.path);
  read(reader, request);
  if (Status status = reader.done(); !status.ok()) return status;
  if (Status status = check_path(request.path); !status.ok()) return status;
  return request;
}

Result<std::vector<AdapterChoice>> parse_swap_request(std::string_view json) {
  auto object = parse_json(json, "request");
  if (!object.ok()) return object.status();
  std::vector<AdapterChoice> choices;
  ObjectReader reader(*object, "request");
  const bool given = reader.value("adapters") != nullptr;
  read_adapter_choice(reader, "adapters", choices);
  if (Status status = reader.done(); !status.ok()) return status;
  if (!given) return Status(Code::kInvalidArgument, "request.adapters is missing");
  return choices;
}

Result<LoadParams> parse_load_params(const Json& json) {
  LoadParams params;
  ObjectReader reader(json, "params");
  read(reader, params);
  if (Status status = reader.done(); !status.ok()) return status;
  return params;
}

Result<GenerateRequest> parse_generate_request(std::string_view json, RecentConversations& recent) {
  GenerateRequest request;
  ModelRequest& call = request.call;
  auto object = recent.parse(json, call.messages);
  if (!object.ok()) return object.status();
  ObjectReader reader(*object, "request");
  read(reader, request);
  if (Status status = read_by(reader, "messages", read_messages, call.messages); !status.ok()) return status;
  if (Status status = read_by(reader, "tools", read_tools, call.tools); !status.ok()) return status;
  if (Status status = read_by(reader, "params", parse_sampling_params, call.params); !status.ok()) return status;
  if (Status status = read_by(reader, "infill", read_infill, call.infill); !status.ok()) return status;
  call.continue_final_message = request.continue_final_message;
  call.held = request.stream == Stream::kHeld;
  const bool has_prompt = reader.value("prompt") != nullptr;
  call.raw = has_prompt || call.infill;
  call.prompt = std::move(request.prompt);
  if (Status status = reader.done(); !status.ok()) return status;
  if (call.raw != call.messages.empty() || (has_prompt && call.infill)) {
    return Status(Code::kInvalidArgument, "request must have one of messages, prompt and infill");
  }
  if (call.raw && call.continue_final_message) {
    return Status(Code::kInvalidArgument, shown_field("request.continue_final_message") +
                                              " needs messages: a raw prompt has no message that can be continued");
  }
  if (call.raw && !call.tools.empty()) {
    return Status(Code::kInvalidArgument, "request.tools need messages: a raw prompt has no chat template");
  }
  return request;
}

Result<SessionSetup> parse_session_options(std::string_view json) {
  auto object = parse_json(json, "options");
  if (!object.ok()) return object.status();
  SessionSetup setup;
  ObjectReader reader(*object, "options");
  read(reader, static_cast<SessionParams&>(setup));
  const Json* history = reader.value("history");
  if (Status status = read_by(reader, "permissions", Permissions::read, setup.permissions); !status.ok()) return status;
  if (Status status = read_by(reader, "tiers", read_tiers, setup.tiers); !status.ok()) return status;
  if (Status status = read_by(reader, "phases", read_phases, setup.phases); !status.ok()) return status;
  if (Status status = read_sampling(reader, setup.sampling); !status.ok()) return status;
  reader.texts("control_tools", setup.control_tools, false);
  if (Status status = reader.done(); !status.ok()) return status;
  if (Status status = read_history(history, setup.history); !status.ok()) return status;
  return setup;
}

Result<RunRequest> parse_run_request(std::string_view json) {
  auto object = parse_json(json, "request");
  if (!object.ok()) return object.status();
  RunRequest request;
  ObjectReader reader(*object, "request");
  read(reader, request);
  if (Status status = read_sampling(reader, request.params); !status.ok()) return status;
  if (const Json* plan = reader.value("plan")) {
    auto read = read_plan(*plan, "request.plan");
    if (!read.ok()) return read.status();
    request.plan = *std::move(read);
  }
  const bool has_content = reader.value("content") != nullptr;
  const Json* history = reader.value("history");
  if (Status status = read_by(reader, "resume", read_answers, request.resume); !status.ok()) return status;
  if (Status status = reader.done(); !status.ok()) return status;
  if (has_content == !request.resume.empty()) {
    return Status(Code::kInvalidArgument,
                  has_content ? "request has both content and resume" : "request.content is missing");
  }
  if (has_content) {
    if (Status status = read_history(history, request.history); !status.ok()) return status;
    return request;
  }
  if (history != nullptr) return Status(Code::kInvalidArgument, "request.history is of the run that is resumed");
  if (request.plan) return Status(Code::kInvalidArgument, "request.plan is of the run that is resumed");
  if (request.dry_run)
    return Status(Code::kInvalidArgument, shown_field("request.dry_run") + " is of the run that is resumed");
  return request;
}

Result<UserRequest> parse_elicit_request(std::string_view json) {
  auto params = parse_plain<ElicitParams>(json, "request");
  if (!params.ok()) return params.status();
  if (params->message.empty())
    return Status(Code::kInvalidArgument, "request.message must be a text that is not empty");
  Json schema = std::move(params->schema).value_or(Json{{"type", "object"}});
  if (!schema.is_object()) return Status(Code::kInvalidArgument, "request.schema must be an object");
  const Json type = schema.value("type", Json("object"));
  const bool has_object = type == "object" || (type.is_array() && std::ranges::find(type, "object") != type.end());
  if (!has_object) return Status(Code::kInvalidArgument, "request.schema must be the schema of an object");
  return UserRequest{std::move(params->message), std::move(schema)};
}

Result<CompactParams> parse_compact_request(std::string_view json) {
  return parse_plain<CompactParams>(json, "request");
}

Result<HistoryParams> parse_history_request(std::string_view json) {
  return parse_plain<HistoryParams>(json, "request");
}

Result<EmbedOptions> parse_embed_request(std::string_view json) {
  return parse_plain<EmbedOptions>(json, "request", {"texts"});
}

Result<RerankOptions> parse_rerank_request(std::string_view json) {
  return parse_plain<RerankOptions>(json, "request", {"query", "documents"});
}

Result<TokenizeOptions> parse_tokenize_request(std::string_view json) {
  return parse_plain<TokenizeOptions>(json, "request");
}

Result<DetokenizeRequest> parse_detokenize_request(std::string_view json) {
  auto object = parse_json(json, "request");
  if (!object.ok()) return object.status();
  DetokenizeRequest request;
  ObjectReader reader(*object, "request");
  read(reader, request);
  const Json* tokens = reader.value("tokens");
  if (Status status = reader.done(); !status.ok()) return status;
  if (tokens == nullptr || !tokens->is_array()) {
    return Status(Code::kInvalidArgument, "request.tokens must be an array of token ids");
  }
  for (const Json& token : *tokens) {
    if (!token.is_number_integer() || token < 0 || token > INT32_MAX) {
      return Status(Code::kInvalidArgument, "request.tokens must be an array of token ids, got " + dump_json(token));
    }
    request.tokens.push_back(token.get<int32_t>());
  }
  return request;
}

Result<RenderRequest> parse_render_request(std::string_view json, RecentConversations& recent) {
  RenderRequest request;
  auto object = recent.parse(json, request.messages);
  if (!object.ok()) return object.status();
  ObjectReader reader(*object, "request");
  if (Status status = read_by(reader, "messages", read_messages, request.messages); !status.ok()) return status;
  if (Status status = read_by(reader, "tools", read_tools, request.tools); !status.ok()) return status;
  read(reader, request);
  const Json* choice = reader.value("tool_choice");
  if (Status status = reader.done(); !status.ok()) return status;
  if (request.messages.empty()) return Status(Code::kInvalidMessages, "request.messages is missing");
  if (choice != nullptr) {
    auto params = parse_sampling_params({{"tool_choice", *choice}});
    if (!params.ok()) return params.status();
    request.params = *std::move(params);
  }
  request.params.reasoning = request.reasoning;
  request.params.preserve_reasoning = request.preserve_reasoning;
  if (request.chat_template_args) {
    Status status = check_chat_template_args(*request.chat_template_args, shown_field("request.chat_template_args"));
    if (!status.ok()) return status;
    request.params.chat_template_args = std::move(request.chat_template_args);
  }
  return request;
}

}  // namespace lh
