#include "llama/prompt/fit/schemas.h"

#include <string>
#include <utility>

#include "base/json/json.h"

namespace lh {
namespace {

constexpr int kItems = 1;      // items of an array, an object for `true`
constexpr int kTypes = 2;      // a type, which is null: none, as before
constexpr int kTypeLists = 3;  // one type in each of several schemas

bool mend_schema(int mend, Json& schema);

bool mend_members(int mend, Json& schema, const char* name) {
  bool changed = false;
  const auto members = schema.find(name);
  if (members == schema.end() || !members->is_structured()) return false;
  for (auto& member : *members) changed = mend_schema(mend, member) || changed;
  return changed;
}

void split_types(Json& schema) {
  const Json types = std::exchange(schema["type"], Json());
  Json each = Json::array();
  for (const Json& type : types) {
    Json one = schema;
    one["type"] = type;
    each.push_back(std::move(one));
  }
  schema["anyOf"] = std::move(each);
}

bool mend_schema(int mend, Json& schema) {
  bool changed = false;
  if (schema.is_boolean() && schema.get<bool>()) {
    schema = Json::object();
    changed = true;
  }
  if (!schema.is_object()) return changed;
  for (const char* name : {"properties", "anyOf", "oneOf", "allOf", "$defs", "definitions"}) {
    changed = mend_members(mend, schema, name) || changed;
  }
  if (const auto items = schema.find("items"); items != schema.end()) changed = mend_schema(mend, *items) || changed;
  const auto type = schema.find("type");
  if (type == schema.end()) {
    if (mend < kTypes) return changed;
    schema["type"] = nullptr;
    return true;
  }
  if (*type == "array" && !schema.contains("items") && !schema.contains("prefixItems")) {
    schema["items"] = Json::object();
    return true;
  }
  if (mend >= kTypeLists && type->is_array() && !schema.contains("anyOf") && !schema.contains("oneOf")) {
    split_types(schema);
    return true;
  }
  return changed;
}

}  // namespace

bool mend_schemas(int mend, std::vector<common_chat_tool>& tools) {
  bool any = false;
  for (common_chat_tool& tool : tools) {
    Json parameters = Json::parse(tool.parameters, nullptr, false);
    if (!parameters.is_object() || !mend_schema(mend, parameters)) continue;
    tool.parameters = dump_json(parameters);
    any = true;
  }
  return any;
}

}  // namespace lh
