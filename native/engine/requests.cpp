#include "engine/requests.h"

#include "engine/object_reader.h"
#include "inference/messages.h"

namespace lh {
namespace {

constexpr int64_t kMaxContext = int64_t{1} << 24;
constexpr int64_t kMaxQueued = int64_t{1} << 20;

Status read_tools(ObjectReader& reader, Json& tools) {
  const Json* found = reader.value("tools");
  if (found == nullptr) return {};
  tools = *found;
  return check_tools(tools);
}

Status read_messages(ObjectReader& reader, Json& messages) {
  const Json* found = reader.value("messages");
  if (found == nullptr) return {};
  if (Status status = check_messages(*found); !status.ok()) return status;
  messages = *found;
  complete_messages(messages);
  return {};
}

void read_load_params(ObjectReader& reader, LoadParams& params) {
  reader.whole("gpu_layers", params.gpu_layers, -1, 1 << 20)
      .whole("context_size", params.context_size, 0, kMaxContext)
      .whole("parallel", params.parallel, 1, 64)
      .whole("batch_size", params.batch_size, 1, 1 << 16)
      .whole("threads", params.threads, 0, 512)
      .choice("kv_type", params.kv_type, {"f16", "q8_0", "f32"})
      .flag("mmap", params.mmap)
      .text("chat_template", params.chat_template);
}

}  // namespace

Result<EngineOptions> parse_engine_options(std::string_view json) {
  auto object = parse_json(json, "options");
  if (!object.ok()) return object.status();
  EngineOptions options;
  ObjectReader reader(*object, "options");
  reader.text("libraries", options.libraries).text("gpu_module", options.gpu_module).flag("gpu", options.gpu);
  auto max_queued = static_cast<int32_t>(options.max_queued);
  reader.whole("max_queued", max_queued, 0, kMaxQueued);
  options.max_queued = static_cast<size_t>(max_queued);
  if (Status status = reader.done(); !status.ok()) return status;
  return options;
}

Result<LoadRequest> parse_load_request(std::string_view json) {
  auto object = parse_json(json, "options");
  if (!object.ok()) return object.status();
  LoadRequest request;
  ObjectReader reader(*object, "options");
  reader.text("path", request.path);
  read_load_params(reader, request.params);
  if (Status status = reader.done(); !status.ok()) return status;
  if (request.path.empty()) return Status(Code::kInvalidArgument, "options.path must name a GGUF file");
  return request;
}

Json load_params_json(const LoadParams& params) {
  Json json = {{"gpu_layers", params.gpu_layers}, {"context_size", params.context_size},
               {"parallel", params.parallel},     {"batch_size", params.batch_size},
               {"threads", params.threads},       {"kv_type", params.kv_type},
               {"mmap", params.mmap}};
  if (!params.chat_template.empty()) json["chat_template"] = params.chat_template;
  return json;
}

Result<LoadParams> parse_load_params(const Json& json) {
  LoadParams params;
  ObjectReader reader(json, "params");
  read_load_params(reader, params);
  if (Status status = reader.done(); !status.ok()) return status;
  return params;
}

Result<GenerateRequest> parse_generate_request(std::string_view json) {
  auto object = parse_json(json, "request");
  if (!object.ok()) return object.status();
  GenerateRequest request;
  std::string stream = "live";
  ObjectReader reader(*object, "request");
  reader.text("model", request.model).text("tier", request.tier).text("parent_run_id", request.parent_run_id);
  reader.choice("stream", stream, {"live", "held"});
  request.held = stream == "held";
  if (Status status = read_messages(reader, request.messages); !status.ok()) return status;
  if (Status status = read_tools(reader, request.tools); !status.ok()) return status;
  request.raw = reader.value("prompt") != nullptr;
  reader.text("prompt", request.prompt);
  const Json* params = reader.value("params");
  if (Status status = reader.done(); !status.ok()) return status;
  if (request.raw != request.messages.empty()) {
    return Status(Code::kInvalidArgument, "request must have either messages or prompt");
  }
  if (request.raw && !request.tools.empty()) {
    return Status(Code::kInvalidArgument, "request.tools need messages: a raw prompt has no chat template");
  }
  if (params != nullptr) {
    auto parsed = parse_sampling_params(*params);
    if (!parsed.ok()) return parsed.status();
    request.params = *std::move(parsed);
  }
  return request;
}

Result<TokenizeRequest> parse_tokenize_request(std::string_view json) {
  auto object = parse_json(json, "request");
  if (!object.ok()) return object.status();
  TokenizeRequest request;
  ObjectReader reader(*object, "request");
  reader.text("text", request.text)
      .flag("add_special", request.add_special)
      .flag("parse_special", request.parse_special);
  if (Status status = reader.done(); !status.ok()) return status;
  return request;
}

Result<DetokenizeRequest> parse_detokenize_request(std::string_view json) {
  auto object = parse_json(json, "request");
  if (!object.ok()) return object.status();
  DetokenizeRequest request;
  ObjectReader reader(*object, "request");
  reader.flag("special", request.special);
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

Result<RenderRequest> parse_render_request(std::string_view json) {
  auto object = parse_json(json, "request");
  if (!object.ok()) return object.status();
  RenderRequest request;
  ObjectReader reader(*object, "request");
  if (Status status = read_messages(reader, request.messages); !status.ok()) return status;
  if (Status status = read_tools(reader, request.tools); !status.ok()) return status;
  reader.flag("add_generation_prompt", request.add_generation_prompt);
  const Json* choice = reader.value("tool_choice");
  if (Status status = reader.done(); !status.ok()) return status;
  if (!request.messages.is_array()) return Status(Code::kInvalidMessages, "request.messages is missing");
  if (choice != nullptr) {
    auto params = parse_sampling_params({{"tool_choice", *choice}});
    if (!params.ok()) return params.status();
    request.params = *std::move(params);
  }
  return request;
}

void complete_messages(Json& messages) {
  size_t call_number = 0;
  for (Json& message : messages) {
    for (auto entry = message.begin(); entry != message.end();) {
      entry = entry->is_null() ? message.erase(entry) : std::next(entry);
    }
    if (!message.contains("content")) message["content"] = "";
    if (!message.contains("tool_calls")) continue;
    for (Json& call : message["tool_calls"]) {
      ++call_number;
      if (!call.contains("id") || call["id"].is_null()) call["id"] = "call_" + std::to_string(call_number);
    }
  }
}

}  // namespace lh
