#include "llama/output/raw_arguments.h"

#include <exception>
#include <string_view>

#include "base/caught.h"
#include "base/json/json.h"
#include "base/text/white_space.h"

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

// Behind the string that begins at `at`; npos: it does not end.
size_t string_end(std::string_view json, size_t at) {
  for (++at; at < json.size(); ++at) {
    if (json[at] == '"') return at + 1;
    if (json[at] == '\\') ++at;
  }
  return json.npos;
}

// The end of the value that begins at `at`; npos: it may continue.
size_t value_end(std::string_view json, size_t at) {
  for (int depth = 0; at < json.size();) {
    const char c = json[at];
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) return at;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    at = c == '"' ? string_end(json, at) : at + 1;
  }
  return json.npos;
}

// The text of a string's JSON, or as much of it as is whole.
std::string text_of(std::string json) {
  for (size_t most = 6; most > 0 && json.size() > 1; --most) {  // an escape may be cut off
    auto text = parse_json(json, "an argument");
    if (text.ok()) return text->is_string() ? text->get<std::string>() : std::string();
    json.erase(json.size() - 2, 1);
  }
  return {};
}

// True if a raw text that begins so may be JSON of another of these types than a string.
bool may_become(const common_chat_schema::type_set& types, std::string_view text) {
  const std::string_view bare = without_space_before(text);
  if (bare.empty()) return true;
  const auto may_be = [&](common_chat_schema::value_type type, std::string_view word) {
    return types.has(type) && word.starts_with(without_space_behind(bare));
  };
  if (types.has(common_chat_schema::TYPE_OBJECT) && bare[0] == '{') return true;
  if (types.has(common_chat_schema::TYPE_ARRAY) && bare[0] == '[') return true;
  if (may_be(common_chat_schema::TYPE_NULL, "null")) return true;
  if (may_be(common_chat_schema::TYPE_BOOLEAN, "true") || may_be(common_chat_schema::TYPE_BOOLEAN, "false"))
    return true;
  const bool number = types.has(common_chat_schema::TYPE_NUMBER) || types.has(common_chat_schema::TYPE_INTEGER);
  return number && without_space_behind(bare).find_first_not_of("+-.0123456789eE") == bare.npos;
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

void RawArguments::give_types(const std::string& tool, std::string& args) const {
  const auto known = tools_.find(tool);
  if (known == tools_.end()) return;
  size_t at = args.find('{') + 1;
  while (at != 0 && (at = args.find('"', at)) != args.npos) {
    const size_t behind_name = string_end(args, at);
    const size_t colon = args.find(':', behind_name);
    if (behind_name == args.npos || colon == args.npos) return;
    const auto types = known->second.find(text_of(args.substr(at, behind_name - at)));
    const size_t begin = behind_space(args, colon + 1);
    const size_t end = value_end(args, begin);
    at = end;
    if (types == known->second.end() || begin == args.size() || args[begin] != '"') continue;
    if (end == args.npos) {
      if (may_become(types->second, text_of(args.substr(begin) + '"'))) args.resize(begin);
      return;
    }
    const auto value = parse_json(text_of(args.substr(begin, end - begin)), types->first);
    if (!value.ok() || value->is_string() || !allows(types->second, schema_type_of(*value))) continue;
    const std::string typed = dump_json(*value);
    args.replace(begin, end - begin, typed);
    at = begin + typed.size();
  }
}

}  // namespace lh
