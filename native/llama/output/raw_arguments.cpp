#include "llama/output/raw_arguments.h"

#include <exception>

#include "base/caught.h"

namespace lh {
namespace {

common_chat_schema::value_type schema_type_of(const Json& value) {
  if (value.is_null()) return common_chat_schema::TYPE_NULL;
  if (value.is_boolean()) return common_chat_schema::TYPE_BOOLEAN;
  if (value.is_number_integer()) return common_chat_schema::TYPE_INTEGER;
  if (value.is_number()) return common_chat_schema::TYPE_NUMBER;
  if (value.is_array()) return common_chat_schema::TYPE_ARRAY;
  if (value.is_object()) return common_chat_schema::TYPE_OBJECT;
  return common_chat_schema::TYPE_STRING;
}

bool allows(const common_chat_schema::type_set& types, common_chat_schema::value_type type) {
  const bool number = type == common_chat_schema::TYPE_INTEGER && types.has(common_chat_schema::TYPE_NUMBER);
  return number || types.has(type);
}

}  // namespace

RawArguments::RawArguments(const std::vector<common_chat_tool>& tools) {
  for (const common_chat_tool& tool : tools) {
    if (tool.parameters.empty()) continue;
    try {
      const common_chat_schema_document schema = common_chat_schema_from_json(common_json::parse(tool.parameters));
      const auto* object = dynamic_cast<const common_chat_schema_object*>(schema.root.get());
      if (object == nullptr) continue;
      for (const common_chat_schema_property& one : object->properties) {
        const Types types = one.schema->value_types();
        if (!types.has(common_chat_schema::TYPE_STRING) || types.is_only(common_chat_schema::TYPE_STRING)) continue;
        tools_[tool.name][one.name] = types;
      }
    } catch (const std::exception&) {  // a schema that llama.cpp does not know
      pass_on_no_memory();
    }
  }
}

bool RawArguments::give_types(const std::string& tool, Json& args) const {
  const auto known = tools_.find(tool);
  if (known == tools_.end()) return false;
  bool given = false;
  for (const auto& [name, types] : known->second) {
    const auto found = args.find(name);
    if (found == args.end() || !found->is_string()) continue;
    auto value = parse_json(found->get_ref<const std::string&>(), name);
    if (!value.ok() || value->is_string() || !allows(types, schema_type_of(*value))) continue;
    *found = *std::move(value);
    given = true;
  }
  return given;
}

}  // namespace lh
