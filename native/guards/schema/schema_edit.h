// Places of a JSON Schema, named by JSON pointers (RFC 6901), and changes of it at such places.
#pragma once

#include <optional>
#include <string>

#include "base/json/json.h"

namespace lh {

// A name as a part of a pointer.
std::string escape_pointer(std::string name);
std::string unescape_pointer(std::string token);

// The member of an object, or the element of an array, with that name; null: there is none.
Json* schema_member(Json& value, const std::string& name);
const Json* schema_member(const Json& value, const std::string& name);

struct SchemaEdit {
  std::string at;             // "#", or "#/" and a pointer
  std::string key;            // empty: the schema itself
  std::optional<Json> value;  // unset: the key is removed
};

// Changes nothing where an earlier edit has removed the place.
void apply(Json& schema, SchemaEdit edit);

}  // namespace lh
