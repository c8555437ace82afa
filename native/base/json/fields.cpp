#include "base/json/fields.h"

#include <algorithm>

namespace lh {
namespace {

struct SavedStatus {
  int32_t code = 0;
  std::string message;
  template <typename Self, typename Fields>
  static void fields(Self& self, Fields& all) {
    all("code", self.code);
    all("message", self.message);
  }
};

}  // namespace

Json to_field(const Status& status) {
  return json_of(SavedStatus{static_cast<int32_t>(status.code()), status.message()});
}

std::string from_field(const Json& json, const std::string& at, Status& out) {
  auto read = read_fields<SavedStatus>(json, at, Code::kInvalidArgument);
  if (!read.ok()) return read.status().message();
  out = Status(static_cast<Code>(read->code), std::move(read->message));
  return {};
}

void FieldReader::object(const char* name, std::optional<Json>& value) {
  Json read;
  object(name, read, Absent::kIfEmpty);
  if (!read.is_null()) value = std::move(read);
}

void FieldReader::object(const char* name, Json& value, Absent absent) {
  const Json* const found = find(name, absent);
  if (found == nullptr) return;
  if (!found->is_object()) return fail(place(name), "object", *found);
  value = *found;
}

void FieldReader::objects(const char* name, Json& value) {
  const Json* const found = find(name, Absent::kNever);
  if (found == nullptr) return;
  const bool fits = found->is_array() && std::ranges::all_of(*found, [](const Json& one) { return one.is_object(); });
  if (!fits) return fail(place(name), "array of objects", *found);
  value = *found;
}

std::string FieldReader::end() && {
  if (error_.empty()) {
    for (const auto& [key, value] : json_.items()) {
      if (std::ranges::find(known_, key) == known_.end()) return place(key) + ": unknown";
    }
  }
  return std::move(error_);
}

const Json* FieldReader::find(const char* name, Absent absent) {
  if (!error_.empty()) return nullptr;
  known_.emplace_back(name);
  const auto found = json_.find(name);
  if (found != json_.end()) return &*found;
  if (absent == Absent::kNever) error_ = (at_.empty() ? "" : at_ + ": ") + "lacks \"" + name + "\"";
  return nullptr;
}

void FieldReader::fail(const std::string& at, std::string_view expected, const Json& got) {
  if (error_.empty()) error_ = at + ": expected " + std::string(expected) + ", got " + got.type_name();
}

}  // namespace lh
