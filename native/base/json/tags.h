// Tags: facts that a caller gives with a call, such as the name of a user.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json/object_reader.h"

namespace lh {

// A flat object of texts, numbers and booleans. Immutable, so that copies share it.
class Tags {
 public:
  Tags() = default;

  [[nodiscard]] bool empty() const noexcept { return held_ == nullptr; }
  // The JSON of the object; only if not empty.
  [[nodiscard]] const std::string& text() const { return held_->text; }
  // Null: no such tag.
  [[nodiscard]] const Json* find(std::string_view name) const;
  // These tags, and those of `below` that have other names.
  [[nodiscard]] Tags over(const Tags& below) const;

 private:
  struct Held {
    Json values;
    std::string text;
  };

  friend void read_tags(ObjectReader& reader, const char* key, Tags& out);
  explicit Tags(Json values);

  std::shared_ptr<const Held> held_;
};

void read_tags(ObjectReader& reader, const char* key, Tags& out);

// These write and read tags as a field of fields.h.
[[nodiscard]] Json to_field(const Tags& tags);
[[nodiscard]] std::string from_field(const Json& json, const std::string& at, Tags& out);

[[nodiscard]] bool is_tag_name(std::string_view name);

}  // namespace lh
