#include "isolation/wire/model_wire.h"

#include <cstring>
#include <utility>

#include "isolation/wire/channel.h"

namespace lh {
namespace {

Json calls_to_wire(const std::vector<ToolCall>& calls) {
  Json list = Json::array();
  for (const ToolCall& one : calls)
    list.push_back({{"id", one.id}, {"name", one.name}, {"args", one.args}, {"written", one.written}});
  return list;
}

std::vector<ToolCall> calls_from_wire(const Json& json) {
  std::vector<ToolCall> calls;
  for (const Json& one : json) calls.push_back({one.at("id"), one.at("name"), one.at("args"), one.at("written")});
  return calls;
}

Json message_to_wire(const Message& message) {
  return {{"role", static_cast<int>(message.role)}, {"content", message.content},
          {"reasoning", message.reasoning},         {"calls", calls_to_wire(message.tool_calls)},
          {"call_id", message.tool_call_id},        {"tool", message.tool_name}};
}

MessagePtr message_from_wire(const Json& json) {
  Message message;
  message.role = static_cast<Role>(json.at("role").get<int>());
  message.content = json.at("content").get<std::string>();
  message.reasoning = json.at("reasoning").get<std::string>();
  message.tool_calls = calls_from_wire(json.at("calls"));
  message.tool_call_id = json.at("call_id").get<std::string>();
  message.tool_name = json.at("tool").get<std::string>();
  return std::make_shared<const Message>(std::move(message));
}

struct TokenHead {
  int32_t id;
  uint32_t size;
  double logprob;
  int32_t candidates;  // negative: no list
};

struct CandidateHead {
  int32_t token;
  uint32_t size;
  double logprob;
};

template <typename T>
bool take(std::string_view& bytes, T& out) {
  if (bytes.size() < sizeof(T)) return false;
  out = value_of<T>(bytes);
  bytes.remove_prefix(sizeof(T));
  return true;
}

bool take_text(std::string_view& bytes, size_t size, std::string& out) {
  if (bytes.size() < size) return false;
  out = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

}  // namespace

Json status_to_wire(const Status& status) {
  if (status.ok()) return {{"status", 0}};
  return {{"status", static_cast<int>(status.code())}, {"message", status.message()}};
}

Status status_from_wire(const Json& json) {
  const int code = json.at("status").get<int>();
  return code == 0 ? Status() : Status(static_cast<Code>(code), json.at("message"));
}

Json use_to_wire(const MemoryUse& use) {
  Json list = Json::array();
  for (const DeviceUse& one : use) {
    list.push_back(Json::array({one.device, one.model, one.context, one.compute, one.mapped, one.layers}));
  }
  return list;
}

MemoryUse use_from_wire(const Json& json) {
  MemoryUse use;
  for (const Json& one : json) use.push_back({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4), one.at(5)});
  return use;
}

Json footprint_to_wire(const MemoryFootprint& footprint) {
  Json weights = Json::array();
  for (const SharedUse& one : footprint.weights) weights.push_back(Json::array({one.key, use_to_wire(one.memory)}));
  return {
      {"own", use_to_wire(footprint.own)}, {"weights", std::move(weights)}, {"conversations", footprint.conversations}};
}

MemoryFootprint footprint_from_wire(const Json& json) {
  MemoryFootprint footprint;
  footprint.own = use_from_wire(json.at("own"));
  for (const Json& one : json.at("weights")) footprint.weights.push_back({one.at(0), use_from_wire(one.at(1))});
  footprint.conversations = json.at("conversations");
  return footprint;
}

Json devices_to_wire(const std::vector<Device>& devices) {
  Json list = Json::array();
  for (const Device& one : devices) {
    list.push_back(
        Json::array({one.name, one.description, static_cast<int>(one.type), one.total_bytes, one.free_bytes}));
  }
  return list;
}

std::vector<Device> devices_from_wire(const Json& json) {
  std::vector<Device> devices;
  for (const Json& one : json) {
    devices.push_back({one.at(0), one.at(1), static_cast<DeviceType>(one.at(2).get<int>()), one.at(3), one.at(4)});
  }
  return devices;
}

Json params_to_wire(const SamplingParams& params) {
  Json json = to_json(params);
  if (params.grammar.empty()) json.erase("grammar");
  return json;
}

SamplingParams params_from_wire(const Json& json) {
  SamplingParams params;
  ObjectReader reader(json, "params", ObjectReader::Null::kUnset);
  read(reader, params);
  return params;
}

LoadParams load_params_from_wire(const Json& json) {
  LoadParams params;
  ObjectReader reader(json, "params");
  read(reader, params);
  return params;
}

Json adapter_to_wire(const AdapterInfo& adapter) {
  return {{"id", adapter.id},
          {"path", adapter.path},
          {"file_bytes", adapter.file_bytes},
          {"scale", adapter.scale},
          {"kind", static_cast<int>(adapter.kind)},
          {"rank", adapter.rank},
          {"tensors", adapter.tensors},
          {"invocation", adapter.invocation_tokens},
          {"memory", use_to_wire(adapter.memory)}};
}

AdapterInfo adapter_from_wire(const Json& json) {
  AdapterInfo adapter;
  adapter.id = json.at("id");
  adapter.path = json.at("path");
  adapter.file_bytes = json.at("file_bytes");
  adapter.scale = json.at("scale");
  adapter.kind = static_cast<AdapterKind>(json.at("kind").get<int>());
  adapter.rank = json.at("rank");
  adapter.tensors = json.at("tensors");
  adapter.invocation_tokens = json.at("invocation").get<std::vector<int32_t>>();
  adapter.memory = use_from_wire(json.at("memory"));
  return adapter;
}

Json infill_to_wire(const Infill& infill) {
  Json extra = Json::array();
  for (const Infill::Extra& one : infill.extra) extra.push_back(Json::array({one.filename, one.text}));
  return {{"prefix", infill.prefix},
          {"suffix", infill.suffix},
          {"extra", std::move(extra)},
          {"suffix_first", infill.suffix_first},
          {"middle", infill.middle}};
}

Infill infill_from_wire(const Json& json) {
  Infill infill;
  infill.prefix = json.at("prefix");
  infill.suffix = json.at("suffix");
  for (const Json& one : json.at("extra")) infill.extra.push_back({one.at(0), one.at(1)});
  infill.suffix_first = json.at("suffix_first");
  infill.middle = json.at("middle");
  return infill;
}

Json tool_to_wire(const Tool& tool) {
  return {{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}};
}

Tool tool_from_wire(const Json& json) { return {json.at("name"), json.at("description"), json.at("parameters")}; }

Json prompt_to_wire(const PromptRequest& request) {
  Json json = {{"generation_prompt", request.add_generation_prompt},
               {"continues", request.continue_final_message},
               {"only_text", request.only_text}};
  if (request.messages != nullptr) {
    Json& list = json["messages"] = Json::array();
    for (const MessagePtr& one : *request.messages) list.push_back(message_to_wire(*one));
  } else if (request.infill != nullptr) {
    json["infill"] = infill_to_wire(*request.infill);
  } else {
    json["raw"] = request.raw;
  }
  if (request.tools != nullptr) {
    Json& list = json["tools"] = Json::array();
    for (const auto& one : *request.tools) list.push_back(tool_to_wire(*one));
  }
  return json;
}

void prompt_from_wire(const Json& json, PromptParts& out) {
  PromptRequest& request = out.request;
  request.add_generation_prompt = json.at("generation_prompt");
  request.continue_final_message = json.at("continues");
  request.only_text = json.at("only_text");
  if (json.contains("messages")) {
    for (const Json& one : json.at("messages")) out.messages.push_back(message_from_wire(one));
    request.messages = &out.messages;
  } else if (json.contains("infill")) {
    out.infill = infill_from_wire(json.at("infill"));
    request.infill = &out.infill;
  } else {
    out.raw = json.at("raw");
    request.raw = out.raw;
  }
  if (json.contains("tools")) {
    for (const Json& one : json.at("tools")) out.tools.push_back(std::make_shared<const Tool>(tool_from_wire(one)));
    request.tools = &out.tools;
  }
}

Json output_to_wire(const ParsedOutput& output) {
  Json json = {
      {"content", output.content}, {"reasoning", output.reasoning}, {"calls", calls_to_wire(output.tool_calls)}};
  if (output.unread) {
    json["unread"] = {{"format", output.unread->format}, {"at", output.unread->at}, {"rest", output.unread->rest}};
  }
  return json;
}

ParsedOutput output_from_wire(const Json& json) {
  ParsedOutput output{json.at("content"), json.at("reasoning"), calls_from_wire(json.at("calls"))};
  if (json.contains("unread")) {
    const Json& unread = json.at("unread");
    output.unread = Unread{unread.at("format"), unread.at("at"), unread.at("rest")};
  }
  return output;
}

void pack_token(const Token& token, std::string& out) {
  const TokenHead head{token.id, static_cast<uint32_t>(token.bytes.size()), token.logprob,
                       token.top == nullptr ? -1 : static_cast<int32_t>(token.top->size())};
  out.append(bytes_of(head)).append(token.bytes);
  if (token.top == nullptr) return;
  for (const Candidate& one : *token.top) {
    const CandidateHead candidate{one.token, static_cast<uint32_t>(one.bytes.size()), one.logprob};
    out.append(bytes_of(candidate)).append(one.bytes);
  }
}

bool unpack_token(std::string_view& bytes, Token& token) {
  TokenHead head{};
  if (!take(bytes, head) || !take_text(bytes, head.size, token.bytes)) return false;
  token.id = head.id;
  token.logprob = head.logprob;
  token.top = nullptr;
  if (head.candidates < 0) return true;
  auto top = std::make_shared<std::vector<Candidate>>();
  for (int32_t i = 0; i < head.candidates; ++i) {
    CandidateHead candidate{};
    Candidate one;
    if (!take(bytes, candidate) || !take_text(bytes, candidate.size, one.bytes)) return false;
    one.token = candidate.token;
    one.logprob = candidate.logprob;
    top->push_back(std::move(one));
  }
  token.top = std::move(top);
  return true;
}

}  // namespace lh
