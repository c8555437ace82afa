#include "agent/session_record.h"

#include <utility>

#include "generation/conversation_json.h"
#include "hooks/schema_check.h"

namespace lh {
namespace {

constexpr const char* kFormat = "llama-hooks session";
constexpr int kVersion = 1;

const Json& record_schema() {
  static const Json schema = {
      {"type", "object"},
      {"properties",
       {{"format", {{"type", "string"}}},
        {"version", {{"type", "integer"}}},
        {"id", {{"type", "string"}}},
        {"iterations", {{"type", "integer"}, {"minimum", 0}, {"maximum", INT32_MAX}}},
        {"usage", {{"type", "object"}}},
        {"conversation", {{"type", "object"}}},
        {"children", {{"type", "object"}}},
        {"remembered", {{"type", "array"}}},
        {"queued", {{"type", "array"}, {"items", {{"type", "string"}}}}},
        {"model", {{"type", Json::array({"object", "null"})}}}}},
      {"required", Json::array({"format", "version", "id", "iterations", "usage", "conversation", "children"})},
      {"additionalProperties", false}};
  return schema;
}

template <typename T>
void read_count(const Json& json, const char* key, T& out) {
  constexpr double kMost = INT32_MAX;
  if (json.contains(key) && json[key].is_number() && json[key] >= 0 && json[key] <= kMost) out = json[key].get<T>();
}

Usage read_usage(const Json& json) {
  Usage usage;
  read_count(json, "prompt_tokens", usage.prompt_tokens);
  read_count(json, "cached_tokens", usage.cached_tokens);
  read_count(json, "completion_tokens", usage.completion_tokens);
  read_count(json, "drafted_tokens", usage.drafted_tokens);
  read_count(json, "accepted_tokens", usage.accepted_tokens);
  read_count(json, "prompt_ms", usage.prompt_ms);
  read_count(json, "decode_ms", usage.decode_ms);
  return usage;
}

}  // namespace

Json model_mark(const Generator& model) {
  const Json all = model.describe();
  Json mark = Json::object();
  for (const char* key : {"description", "parameters", "vocabulary_size"}) mark[key] = all.value(key, Json());
  constexpr uint64_t kBasis = 0xcbf29ce484222325U;  // FNV-1a: the same in every build
  constexpr uint64_t kPrime = 0x100000001b3U;
  uint64_t hash = kBasis;
  for (const char c : all.value("chat_template", std::string())) {
    hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  }
  mark["chat_template"] = hash;
  return mark;
}

Json to_json(const SessionRecord& record) {
  return {{"format", kFormat},
          {"version", kVersion},
          {"id", record.id},
          {"iterations", record.iterations},
          {"usage", to_json(record.usage)},
          {"conversation", record.own},
          {"children", record.children},
          {"remembered", record.remembered},
          {"queued", record.queued},
          {"model", record.model}};
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
  if (const auto offence = check_schema(*json, record_schema())) {
    return wrong((offence->path.empty() ? "" : offence->path + ": ") + offence->why);
  }
  return SessionRecord{(*json)["id"].get<std::string>(),
                       (*json)["iterations"].get<int32_t>(),
                       read_usage((*json)["usage"]),
                       (*json)["conversation"],
                       (*json)["children"],
                       json->value("remembered", Json::array()),
                       json->value("queued", std::vector<std::string>()),
                       json->value("model", Json())};
}

}  // namespace lh
