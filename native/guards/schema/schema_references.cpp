#include "guards/schema/schema_references.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text/percent.h"
#include "guards/schema/schema_edit.h"

namespace lh {
namespace {

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
       {unescape_pointer(unescaped(token)), unescape_pointer(std::string(token)), std::string(token)}) {
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

SchemaReferences::SchemaReferences(const Json& root, SchemaWork& work) : root_(root), work_(work) {
  resources_["#"] = "";
  named_[""] = {&root_, "#"};
  collect_names();
}

void SchemaReferences::collect_names() {
  struct Open {
    const Json* value;
    Json::const_iterator next;
    size_t length;  // of its place
    std::string resource;
  };
  std::vector<Open> open;
  std::string at = "#";
  const auto enter = [&](const Json& value, std::string resource) {
    if (value.is_object()) note_names({&value, at}, resource);
    open.push_back({&value, value.begin(), at.size(), std::move(resource)});
  };
  if (root_.is_structured()) enter(root_, "");
  while (!open.empty() && work_.spend()) {
    Open& last = open.back();
    at.resize(last.length);
    if (last.next == last.value->end()) {
      open.pop_back();
      continue;
    }
    const auto member = last.next++;
    if (!member->is_structured()) continue;
    at += '/';
    at += last.value->is_object() ? escape_pointer(member.key()) : std::to_string(member - last.value->begin());
    enter(*member, last.resource);
  }
}

// `resource` becomes the address of the schema, if it has one.
void SchemaReferences::note_names(const SchemaPart& part, std::string& resource) {
  const auto note = [this, &part](std::string address) {
    if (work_.spend_on(part.at)) named_.try_emplace(std::move(address), part);
  };
  for (const char* key : {"$id", "id"}) {
    const std::string* id = text_member(*part.schema, key);
    if (id == nullptr || (key == std::string_view("id") && !id->starts_with('#'))) continue;
    const auto [address, anchor] = divided(*id);
    if (!address.empty()) {
      resource = absolute(resource, address);
      if (work_.spend_on(resource)) resources_[part.at] = resource;
      note(resource);
    }
    if (!anchor.empty()) note(resource + "#" + std::string(anchor));
  }
  for (const char* key : {"$anchor", "$dynamicAnchor"}) {
    const std::string* anchor = text_member(*part.schema, key);
    if (anchor != nullptr) note(resource + "#" + *anchor);
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
  if (!work_.spend((from.size() + text.size()) / 8 + 1)) return {{}, kTooMuchWork};
  const auto [address, fragment] = divided(text);
  const std::string resource = absolute(resource_of(from), address);
  const auto found = named_.find(resource);
  if (found == named_.end()) {
    return {{}, "unsupported $ref " + text + ", only references into the same document are supported"};
  }
  SchemaPart part = found->second;
  if (fragment.empty()) return {part, {}};
  if (!fragment.starts_with('/')) {
    const auto anchor = named_.find(resource + "#" + unescaped(fragment));
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
