#include "guards/schema/schema_edit.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace lh {
namespace {

// `Value`: Json or const Json.
template <typename Value>
Value* member_of(Value& value, const std::string& name) {
  if (value.is_object()) return value.contains(name) ? &value[name] : nullptr;
  size_t index = 0;
  const bool number = std::from_chars(name.data(), name.data() + name.size(), index).ec == std::errc();
  return value.is_array() && number && index < value.size() ? &value[index] : nullptr;
}

}  // namespace

std::string escape_pointer(std::string name) {
  for (size_t at = 0; (at = name.find_first_of("~/", at)) != std::string::npos; at += 2) {
    name.replace(at, 1, name[at] == '~' ? "~0" : "~1");
  }
  return name;
}

std::string unescape_pointer(std::string token) {
  for (size_t at = 0; (at = token.find('~', at)) != std::string::npos; ++at) {
    const bool slash = token.compare(at, 2, "~1") == 0;
    if (slash || token.compare(at, 2, "~0") == 0) token.replace(at, 2, slash ? "/" : "~");
  }
  return token;
}

Json* schema_member(Json& value, const std::string& name) { return member_of(value, name); }
const Json* schema_member(const Json& value, const std::string& name) { return member_of(value, name); }

void apply(Json& schema, SchemaEdit edit) {
  Json* place = &schema;
  for (size_t from = 2; place != nullptr && from <= edit.at.size();) {
    const size_t end = std::min(edit.at.find('/', from), edit.at.size());
    place = schema_member(*place, unescape_pointer(edit.at.substr(from, end - from)));
    from = end + 1;
  }
  if (place == nullptr) return;
  if (edit.key.empty()) {
    *place = *std::move(edit.value);
  } else if (!place->is_object()) {
    return;
  } else if (edit.value) {
    (*place)[edit.key] = *std::move(edit.value);
  } else {
    place->erase(edit.key);
  }
}

}  // namespace lh
