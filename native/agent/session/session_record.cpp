#include "agent/session/session_record.h"

#include <utility>

#include "base/text/stable_hash.h"
#include "generation/conversation_json.h"
#include "hooks/points/value_check.h"

namespace lh {
namespace {

constexpr const char* kFormat = "llama-hooks session";
constexpr int kVersion = 1;

const Json& session_schema() {
  const Json count = {{"type", "integer"}, {"minimum", 0}, {"maximum", INT32_MAX}};
  const Json time = {{"type", "number"}, {"minimum", 0}};
  const Json usage = {{"type", "object"},
                      {"properties",
                       {{"prompt_tokens", count},
                        {"cached_tokens", count},
                        {"completion_tokens", count},
                        {"drafted_tokens", count},
                        {"accepted_tokens", count},
                        {"reasoning_tokens", count},
                        {"queue_ms", time},
                        {"first_token_ms", time},
                        {"prompt_ms", time},
                        {"decode_ms", time}}},
                      {"additionalProperties", false}};
  const Json model = {{"type", Json::array({"object", "null"})},
                      {"properties",
                       {{"description", Json::object()},
                        {"parameters", Json::object()},
                        {"vocabulary_size", Json::object()},
                        {"chat_template", {{"type", "number"}}}}},
                      {"required", Json::array({"description", "parameters", "vocabulary_size", "chat_template"})},
                      {"additionalProperties", false}};
  const Json text = {{"type", "string"}};
  // A queued text, or an object if hooks have already seen the text.
  const Json queued = {{"type", Json::array({"string", "object"})},
                       {"properties", {{"content", text}, {"context", {{"type", "array"}, {"items", text}}}}},
                       {"required", Json::array({"content", "context"})},
                       {"additionalProperties", false}};
  static const Json schema = {
      {"type", "object"},
      {"properties",
       {{"format", {{"type", "string"}}},
        {"version", {{"type", "integer"}}},
        {"id", {{"type", "string"}}},
        {"iterations", count},
        {"usage", usage},
        {"conversation", {{"type", "object"}}},
        {"children", {{"type", "object"}}},
        {"remembered", {{"type", "array"}}},
        {"queued", {{"type", "array"}, {"items", queued}}},
        {"waiting", {{"type", "object"}}},
        {"model", model}}},
      {"required", Json::array({"format", "version", "id", "iterations", "usage", "conversation", "children"})},
      {"additionalProperties", false}};
  return schema;
}

// A queued text, or one that hooks have already seen.
Json queued_json(const std::vector<QueuedMessage>& messages) {
  Json json = Json::array();
  for (const QueuedMessage& one : messages) {
    json.push_back(one.asked ? Json{{"content", one.content}, {"context", one.context}} : Json(one.content));
  }
  return json;
}

std::vector<QueuedMessage> read_queued(const Json& json) {
  std::vector<QueuedMessage> messages;
  for (const Json& one : json) {
    if (one.is_string()) {
      messages.push_back({one.get<std::string>()});
    } else {
      messages.push_back({one["content"].get<std::string>(), true, one["context"].get<std::vector<std::string>>()});
    }
  }
  return messages;
}

Usage read_usage(const Json& json) {
  Usage usage;
  usage.prompt_tokens = json.value("prompt_tokens", 0);
  usage.cached_tokens = json.value("cached_tokens", 0);
  usage.completion_tokens = json.value("completion_tokens", 0);
  usage.drafted_tokens = json.value("drafted_tokens", 0);
  usage.accepted_tokens = json.value("accepted_tokens", 0);
  usage.reasoning_tokens = json.value("reasoning_tokens", 0);
  usage.queue_ms = json.value("queue_ms", 0.0);
  usage.first_token_ms = json.value("first_token_ms", 0.0);
  usage.prompt_ms = json.value("prompt_ms", 0.0);
  usage.decode_ms = json.value("decode_ms", 0.0);
  return usage;
}

}  // namespace

Json model_mark(const Generator& model) {
  const Json all = model.describe();
  Json mark = Json::object();
  for (const char* key : {"description", "parameters", "vocabulary_size"}) mark[key] = all.value(key, Json());
  const Json& used = all["chat_template"];  // null: of a model that computes elsewhere
  mark["chat_template"] = stable_hash(used.is_string() ? used.get_ref<const std::string&>() : std::string());
  return mark;
}

Json to_json(const SessionRecord& record) {
  Json json = {{"format", kFormat},
               {"version", kVersion},
               {"id", record.id},
               {"iterations", record.iterations},
               {"usage", to_json(record.usage)},
               {"conversation", record.own},
               {"children", record.children},
               {"remembered", record.remembered},
               {"queued", queued_json(record.queued)},
               {"model", record.model}};
  if (!record.waiting.is_null()) json["waiting"] = record.waiting;
  return json;
}

Result<SessionRecord> read_record(std::string_view text) {
  const auto wrong = [](const std::string& why) { return Status(Code::kSessionFileInvalid, why); };
  const auto json = parse_json(text, "the session");
  if (!json.ok()) return wrong(json.status().message());
  if (!json->is_object() || json->value("format", Json()) != kFormat) return wrong("it is no saved session");
  const Json version = json->value("version", Json());
  if (version != kVersion) {
    return wrong("version: it is of version " + dump_json(version) + ", and this one reads version " +
                 std::to_string(kVersion));
  }
  if (const auto offence = check_value(*json, session_schema())) {
    return wrong((offence->path.empty() ? "" : offence->path + ": ") + offence->why);
  }
  return SessionRecord{(*json)["id"].get<std::string>(),
                       (*json)["iterations"].get<int32_t>(),
                       read_usage((*json)["usage"]),
                       (*json)["conversation"],
                       (*json)["children"],
                       json->value("remembered", Json::array()),
                       read_queued(json->value("queued", Json::array())),
                       json->value("model", Json()),
                       json->value("waiting", Json())};
}

}  // namespace lh
