#include "generation/conversation_json.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/text/names.h"

namespace lh {
namespace {

constexpr std::pair<std::string_view, Role> kRoles[] = {
    {"system", Role::kSystem}, {"user", Role::kUser}, {"assistant", Role::kAssistant}, {"tool", Role::kTool}};

constexpr std::pair<std::string_view, Origin> kOrigins[] = {
    {"hook", Origin::kHook}, {"tool", Origin::kTool}, {"engine", Origin::kEngine}, {"anchor", Origin::kAnchor}};

constexpr size_t kMaxToolName = 128;

// The member, or null if it is absent or null.
const Json* member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

bool is_string_or_absent(const Json& object, const char* key) {
  const Json* value = member(object, key);
  return value == nullptr || value->is_string();
}

std::string text_of(const Json& object, const char* key) {
  const Json* value = member(object, key);
  return value == nullptr ? std::string() : value->get<std::string>();
}

std::optional<Role> role_of(const std::string& name) {
  const auto* found = std::ranges::find(kRoles, std::string_view(name), &std::pair<std::string_view, Role>::first);
  return found == std::end(kRoles) ? std::nullopt : std::optional(found->second);
}

std::optional<Origin> origin_of(const std::string& name) {
  const auto* found = std::ranges::find(kOrigins, std::string_view(name), &std::pair<std::string_view, Origin>::first);
  return found == std::end(kOrigins) ? std::nullopt : std::optional(found->second);
}

bool is_tool_call(const Json& call) {
  const Json* name = call.is_object() ? member(call, "name") : nullptr;
  const Json* args = name == nullptr ? nullptr : member(call, "args");
  return args != nullptr && name->is_string() && args->is_object() && is_string_or_absent(call, "id");
}

// The mistake in a message; empty: none.
std::string fault(const Json& message) {
  static const std::set<std::string_view> kKeys = {"role",      "content", "reasoning", "tool_calls", "tool_call_id",
                                                   "tool_name", "id",      "time_ms",   "origin"};
  if (!message.is_object()) return "is not an object";
  for (const auto& [key, value] : message.items()) {
    if (!kKeys.contains(key)) return "has an unknown key \"" + key + "\"";
  }
  const Json* role = member(message, "role");
  if (role == nullptr || !role->is_string()) return "has no role";
  const std::string& name = role->get_ref<const std::string&>();
  if (!role_of(name)) return "has the unknown role \"" + name + "\" (system, user, assistant, tool)";
  for (const char* key : {"content", "reasoning", "tool_call_id", "tool_name", "id"}) {
    if (!is_string_or_absent(message, key)) return "has a " + shown_field(key) + " that is not a string";
  }
  const Json* id = member(message, "id");
  if (id != nullptr && id->get_ref<const std::string&>().empty()) return "has an empty id";
  const Json* time = member(message, "time_ms");
  if (time != nullptr && !time->is_number_unsigned()) return "has a time_ms that is not a whole number from 0";
  const Json* origin = member(message, "origin");
  if (origin != nullptr && (!origin->is_string() || !origin_of(origin->get_ref<const std::string&>()))) {
    return "has the unknown origin " + dump_json(*origin) + " (hook, tool, engine, anchor)";
  }
  if (origin != nullptr && name != "user") return "has an origin, which only a user message may have";
  const Json* calls = member(message, "tool_calls");
  if (calls == nullptr) return member(message, "content") == nullptr ? "has no content" : "";
  if (name != "assistant") return "has " + shown_field("tool_calls") + ", which only an assistant message may have";
  if (!calls->is_array()) return "has " + shown_field("tool_calls") + " that are not an array";
  for (const Json& call : *calls) {
    if (!is_tool_call(call)) {
      return "has a tool call that is not {\"id\", \"name\", \"args\": object}: " + dump_json(call);
    }
  }
  return {};
}

Message read_message(const Json& json) {
  Message message;
  message.role = *role_of(json["role"].get_ref<const std::string&>());
  message.content = text_of(json, "content");
  message.reasoning = text_of(json, "reasoning");
  message.tool_call_id = text_of(json, "tool_call_id");
  message.tool_name = text_of(json, "tool_name");
  message.id = text_of(json, "id");
  if (const Json* time = member(json, "time_ms")) message.time_ms = time->get<int64_t>();
  if (const Json* origin = member(json, "origin")) message.origin = *origin_of(origin->get_ref<const std::string&>());
  if (const Json* calls = member(json, "tool_calls")) {
    for (const Json& call : *calls) message.tool_calls.push_back({text_of(call, "id"), call["name"], call["args"]});
  }
  return message;
}

bool has_call_without_id(const MessagePtr& message) {
  return std::ranges::any_of(message->tool_calls, [](const ToolCall& call) { return call.id.empty(); });
}

bool is_tool_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kMaxToolName && std::ranges::all_of(name, fits);
}

// The mistake in a tool; empty: none.
std::string tool_fault(const Json& tool) {
  static const std::set<std::string_view> kKeys = {"name", "description", "parameters"};
  if (!tool.is_object()) return "is not an object";
  for (const auto& [key, value] : tool.items()) {
    if (!kKeys.contains(key)) return "has an unknown key \"" + key + "\"";
  }
  const Json* name = member(tool, "name");
  if (name == nullptr || !name->is_string() || !is_tool_name(name->get_ref<const std::string&>())) {
    return "needs a name of 1 to 128 letters, digits, _ or -, got " + (name == nullptr ? "none" : dump_json(*name));
  }
  if (!is_string_or_absent(tool, "description")) return "has a description that is not a string";
  const Json* parameters = member(tool, "parameters");
  if (parameters != nullptr && !parameters->is_object()) {
    return "has parameters that are not a JSON Schema (an object): " + dump_json(*parameters);
  }
  return {};
}

// `key`: with its quotes, its colon, and the comma or brace before it.
void append_text(std::string& out, std::string_view key, std::string_view text) {
  out += key;
  append_json_string(out, text);
}

template <typename List, typename Append>
void append_list(std::string& out, const List& list, const Append& append) {
  out += '[';
  for (bool first = true; const auto& one : list) {
    if (!first) out += ',';
    first = false;
    append(one);
  }
  out += ']';
}

void append_call(std::string& out, const ToolCall& call) {
  append_text(out, R"({"id":)", call.id);
  append_text(out, R"(,"name":)", call.name);
  out += R"(,"args":)";
  out += dump_json(call.args);
  out += '}';
}

void append_message(std::string& out, const Message& message) {
  append_text(out, R"({"role":)", role_name(message.role));
  append_text(out, R"(,"content":)", message.content);
  if (!message.reasoning.empty()) append_text(out, R"(,"reasoning":)", message.reasoning);
  if (!message.tool_calls.empty()) {
    out += R"(,"tool_calls":)";
    append_list(out, message.tool_calls, [&](const ToolCall& call) { append_call(out, call); });
  }
  if (!message.tool_call_id.empty()) append_text(out, R"(,"tool_call_id":)", message.tool_call_id);
  if (!message.tool_name.empty()) append_text(out, R"(,"tool_name":)", message.tool_name);
  out += '}';
}

}  // namespace

Result<Messages> read_messages_as_given(const Json& json) {
  if (!json.is_array() || json.empty()) {
    return Status(Code::kInvalidMessages, "messages must be an array with at least one message");
  }
  Messages messages;
  messages.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    if (const std::string what = fault(json[i]); !what.empty()) {
      return Status(Code::kInvalidMessages, "messages[" + std::to_string(i) + "] " + what);
    }
    messages.push_back(std::make_shared<const Message>(read_message(json[i])));
  }
  return messages;
}

// The ids are the first free ones, so that the same conversation always reads the same, and its KV cache stays valid.
Messages with_call_ids(Messages messages) {
  if (std::ranges::none_of(messages, has_call_without_id)) return messages;
  std::set<std::string> taken;
  for (const MessagePtr& message : messages) {
    for (const ToolCall& call : message->tool_calls) taken.insert(call.id);
    taken.insert(message->tool_call_id);
  }
  size_t number = 0;
  for (MessagePtr& message : messages) {
    if (!has_call_without_id(message)) {
      number += message->tool_calls.size();
      continue;
    }
    auto named = std::make_shared<Message>(*message);
    for (ToolCall& call : named->tool_calls) {
      ++number;
      if (!call.id.empty()) continue;
      while (!taken.insert("call_" + std::to_string(number)).second) ++number;
      call.id = "call_" + std::to_string(number);
    }
    message = std::move(named);
  }
  return messages;
}

Result<Messages> read_messages(const Json& json) {
  auto messages = read_messages_as_given(json);
  if (!messages.ok()) return messages.status();
  return with_call_ids(*std::move(messages));
}

Result<Tools> read_tools(const Json& json) {
  if (!json.is_array()) return Status(Code::kInvalidArgument, "tools must be an array");
  Tools tools;
  std::set<std::string> names;
  for (size_t i = 0; i < json.size(); ++i) {
    std::string what = tool_fault(json[i]);
    if (what.empty() && !names.insert(text_of(json[i], "name")).second) {
      what = "has the name of an earlier tool: " + dump_json(json[i]["name"]);
    }
    if (!what.empty()) return Status(Code::kInvalidArgument, "tools[" + std::to_string(i) + "] " + what);
    const Json* parameters = member(json[i], "parameters");
    tools.push_back(std::make_shared<const Tool>(
        Tool{text_of(json[i], "name"), text_of(json[i], "description"),
             parameters == nullptr ? Json{{"type", "object"}, {"properties", Json::object()}} : *parameters}));
  }
  return tools;
}

Json to_json(const std::vector<ToolCall>& calls) {
  Json json = Json::array();
  for (const ToolCall& call : calls) json.push_back({{"id", call.id}, {"name", call.name}, {"args", call.args}});
  return json;
}

Json to_json(const Message& message) {
  Json json = {{"role", role_name(message.role)}, {"content", message.content}};
  if (!message.reasoning.empty()) json["reasoning"] = message.reasoning;
  if (!message.tool_calls.empty()) json["tool_calls"] = to_json(message.tool_calls);
  if (!message.tool_call_id.empty()) json["tool_call_id"] = message.tool_call_id;
  if (!message.tool_name.empty()) json["tool_name"] = message.tool_name;
  return json;
}

Json to_json(const Messages& messages) {
  Json json = Json::array();
  for (const MessagePtr& message : messages) json.push_back(to_json(*message));
  return json;
}

Json history_json(const Messages& messages) {
  Json json = Json::array();
  for (const MessagePtr& message : messages) {
    Json& one = json.emplace_back(to_json(*message));
    if (!message->id.empty()) one["id"] = message->id;
    if (message->time_ms > 0) one["time_ms"] = message->time_ms;
    if (message->origin != Origin::kUser) {
      one["origin"] = std::ranges::find(kOrigins, message->origin, &std::pair<std::string_view, Origin>::second)->first;
    }
  }
  return json;
}

Json to_json(const Tools& tools) {
  Json json = Json::array();
  for (const auto& tool : tools) {
    json.push_back({{"name", tool->name}, {"description", tool->description}, {"parameters", tool->parameters}});
  }
  return json;
}

Json to_json(const Usage& usage) { return json_of(usage); }

void append_json(std::string& out, const Messages& messages) {
  append_list(out, messages, [&](const MessagePtr& message) { append_message(out, *message); });
}

void append_json(std::string& out, const Tools& tools) {
  append_list(out, tools, [&](const std::shared_ptr<const Tool>& tool) {
    append_text(out, R"({"name":)", tool->name);
    append_text(out, R"(,"description":)", tool->description);
    out += R"(,"parameters":)";
    out += dump_json(tool->parameters);
    out += '}';
  });
}

std::string_view role_name(Role role) {
  const auto* found = std::ranges::find(kRoles, role, &std::pair<std::string_view, Role>::second);
  return found->first;
}

std::string_view finish_reason_name(FinishReason reason) {
  switch (reason) {
    case FinishReason::kLength: return "length";
    case FinishReason::kCancelled: return "cancelled";
    case FinishReason::kError: return "error";
    case FinishReason::kStop: break;
  }
  return "stop";
}

}  // namespace lh
