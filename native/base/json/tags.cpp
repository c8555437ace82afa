#include "base/json/tags.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace lh {
namespace {

constexpr size_t kMostTags = 32;
constexpr size_t kMostName = 64;
constexpr size_t kMostText = 512;
constexpr std::string_view kExpected =
    "an object of at most 32 strings of at most 512 bytes, numbers and booleans, whose names have 1 to 64 letters, "
    "digits, _, - or .";

bool is_value(const Json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().size() <= kMostText;
  return value.is_number() || value.is_boolean();
}

}  // namespace

bool is_tag_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostName && std::ranges::all_of(name, [](unsigned char c) {
    return (c < 0x80 && std::isalnum(c) != 0) || c == '_' || c == '-' || c == '.';
  });
}

Tags::Tags(Json values) {
  if (values.empty()) return;
  std::string text = dump_json(values);
  held_ = std::make_shared<const Held>(Held{std::move(values), std::move(text)});
}

const Json* Tags::find(std::string_view name) const {
  if (empty()) return nullptr;
  const auto found = held_->values.find(std::string(name));
  return found == held_->values.end() ? nullptr : &*found;
}

Tags Tags::over(const Tags& below) const {
  if (empty()) return below;
  if (below.empty()) return *this;
  Json values = below.held_->values;
  values.update(held_->values);
  return Tags(std::move(values));
}

void read_tags(ObjectReader& reader, const char* key, Tags& out) {
  const Json* found = reader.value(key);
  if (found == nullptr) return;
  if (!found->is_object() || found->size() > kMostTags) return reader.wrong(key, kExpected, *found);
  for (const auto& [name, value] : found->items()) {
    if (!is_tag_name(name) || !is_value(value)) return reader.wrong(key, kExpected, Json{{name, value}});
  }
  out = Tags(*found);
}

Json to_field(const Tags& tags) { return *parse_json(tags.text(), "tags"); }

std::string from_field(const Json& json, const std::string& at, Tags& out) {
  const Json only = {{"tags", json}};
  ObjectReader reader(only, at);
  read_tags(reader, "tags", out);
  return reader.done().message();
}

}  // namespace lh
