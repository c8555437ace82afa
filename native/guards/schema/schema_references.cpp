#include "guards/schema/schema_references.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "guards/schema/schema_edit.h"

namespace lh {
namespace {

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// "%20" becomes a space; a "%" without two hexadecimal digits stays as it is.
std::string percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
    const auto low = high ? hex_digit(text[i + 2]) : std::nullopt;
    if (low) {
      out += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool has_scheme(std::string_view address) {
  const size_t colon = address.find(':');
  return colon != std::string_view::npos && colon < address.find_first_of("/?");
}

// An address relative to another, without fragments. Steps like "../" stay as they are.
std::string absolute(const std::string& base, std::string_view address) {
  while (address.starts_with("./")) address.remove_prefix(2);
  if (address.empty()) return base;
  if (has_scheme(address)) return std::string(address);
  const size_t authority = base.find("://");
  const size_t path = authority == std::string::npos ? 0 : std::min(base.find('/', authority + 3), base.size());
  if (address.starts_with('/')) return base.substr(0, path) + std::string(address);
  const size_t last = base.rfind('/');
  if (last == std::string::npos || last < path)
    return base.substr(0, path) + (path > 0 ? "/" : "") + std::string(address);
  return base.substr(0, last + 1) + std::string(address);
}

std::pair<std::string_view, std::string_view> divided(std::string_view reference) {
  const size_t mark = std::min(reference.find('#'), reference.size());
  return {reference.substr(0, mark), reference.substr(std::min(mark + 1, reference.size()))};
}

const std::string* text_member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : found->get_ptr<const Json::string_t*>();
}

// One step of a pointer. Tools also write names into pointers as they are.
const Json* step(const Json& from, std::string_view token, std::string& name) {
  for (const std::string& read :
       {unescape_pointer(percent_decoded(token)), unescape_pointer(std::string(token)), std::string(token)}) {
    if (const Json* found = schema_member(from, read)) {
      name = read;
      return found;
    }
  }
  return nullptr;
}

}  // namespace

const Json* keyword_of(const SchemaPart& part, const char* key) {
  const auto found = part.schema->find(key);
  return found == part.schema->end() ? nullptr : &*found;
}

SchemaReferences::SchemaReferences(const Json& root) : root_(root) {
  resources_["#"] = "";
  named_[""] = {&root_, "#"};
  collect_names();
}

void SchemaReferences::collect_names() {
  struct Open {
    const Json* value;
    std::string at;
    std::string resource;
  };
  std::vector<Open> open{{&root_, "#", ""}};
  while (!open.empty()) {
    auto [value, at, resource] = std::move(open.back());
    open.pop_back();
    if (!value->is_structured()) continue;
    if (value->is_object()) {
      for (const char* key : {"$id", "id"}) {
        const std::string* id = text_member(*value, key);
        if (id == nullptr || (key == std::string_view("id") && !id->starts_with('#'))) continue;
        const auto [address, anchor] = divided(*id);
        if (!address.empty()) {
          resource = absolute(resource, address);
          resources_[at] = resource;
          named_.try_emplace(resource, SchemaPart{value, at});
        }
        if (!anchor.empty()) named_.try_emplace(resource + "#" + std::string(anchor), SchemaPart{value, at});
      }
      for (const char* key : {"$anchor", "$dynamicAnchor"}) {
        const std::string* anchor = text_member(*value, key);
        if (anchor != nullptr) named_.try_emplace(resource + "#" + *anchor, SchemaPart{value, at});
      }
    }
    for (const auto& [name, member] : value->items()) {
      if (member.is_structured()) open.push_back({&member, at + "/" + escape_pointer(name), resource});
    }
  }
}

const std::string& SchemaReferences::resource_of(std::string place) const {
  for (;;) {
    if (const auto found = resources_.find(place); found != resources_.end()) return found->second;
    place.erase(place.rfind('/'));
  }
}

SchemaReferences::Target SchemaReferences::find(const Json& reference, const std::string& from) const {
  if (!reference.is_string()) return {{}, "$ref must be a string"};
  const auto& text = reference.get_ref<const std::string&>();
  const auto [address, fragment] = divided(text);
  const std::string resource = absolute(resource_of(from), address);
  const auto found = named_.find(resource);
  if (found == named_.end()) {
    return {{}, "unsupported $ref " + text + ", only references into the same document are supported"};
  }
  SchemaPart part = found->second;
  if (fragment.empty()) return {part, {}};
  if (!fragment.starts_with('/')) {
    const auto anchor = named_.find(resource + "#" + percent_decoded(fragment));
    if (anchor == named_.end()) return {{}, "cannot resolve $ref " + text + ", no schema has that anchor"};
    return {anchor->second, {}};
  }
  for (size_t at = 1; at <= fragment.size();) {
    const size_t end = std::min(fragment.find('/', at), fragment.size());
    const std::string_view token = fragment.substr(at, end - at);
    std::string name;
    part.schema = step(*part.schema, token, name);
    if (part.schema == nullptr) return {{}, "cannot resolve $ref " + text + ", " + std::string(token) + " not found"};
    part.at += "/" + escape_pointer(name);
    at = end + 1;
  }
  return {part, {}};
}

}  // namespace lh
