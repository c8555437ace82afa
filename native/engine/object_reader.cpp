#include "engine/object_reader.h"

#include <algorithm>

namespace lh {

ObjectReader::ObjectReader(const Json& object, std::string what) : object_(object), what_(std::move(what)) {
  if (!object_.is_object()) status_ = Status(Code::kInvalidArgument, what_ + " must be a JSON object");
}

const Json* ObjectReader::find(const char* key) {
  known_.emplace_back(key);
  if (!status_.ok()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void ObjectReader::wrong(const char* key, const std::string& expected, const Json& got) {
  status_ = Status(Code::kInvalidArgument, what_ + "." + key + " must be " + expected + ", got " + dump_json(got));
}

ObjectReader& ObjectReader::text(const char* key, std::string& out) {
  if (const Json* found = find(key)) {
    if (found->is_string()) {
      out = found->get<std::string>();
    } else {
      wrong(key, "a string", *found);
    }
  }
  return *this;
}

ObjectReader& ObjectReader::flag(const char* key, bool& out) {
  if (const Json* found = find(key)) {
    if (found->is_boolean()) {
      out = found->get<bool>();
    } else {
      wrong(key, "a boolean", *found);
    }
  }
  return *this;
}

ObjectReader& ObjectReader::whole(const char* key, int32_t& out, int64_t low, int64_t high) {
  if (const Json* found = find(key)) {
    const bool huge = found->is_number_unsigned() && found->get<uint64_t>() > INT64_MAX;  // would compare as negative
    if (found->is_number_integer() && !huge && *found >= low && *found <= high) {
      out = found->get<int32_t>();
    } else {
      wrong(key, "a whole number from " + std::to_string(low) + " to " + std::to_string(high), *found);
    }
  }
  return *this;
}

ObjectReader& ObjectReader::choice(const char* key, std::string& out, const std::vector<std::string>& choices) {
  if (const Json* found = find(key)) {
    const bool known = found->is_string() && std::ranges::find(choices, found->get<std::string>()) != choices.end();
    if (known) {
      out = found->get<std::string>();
    } else {
      wrong(key, "one of " + dump_json(choices), *found);
    }
  }
  return *this;
}

const Json* ObjectReader::value(const char* key) { return find(key); }

Status ObjectReader::done() {
  if (!status_.ok()) return status_;
  for (const auto& [key, value] : object_.items()) {
    if (std::ranges::find(known_, key) == known_.end()) {
      return Status(Code::kInvalidArgument, "unknown key " + what_ + "." + key);
    }
  }
  return {};
}

}  // namespace lh
