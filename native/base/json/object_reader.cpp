#include "base/json/object_reader.h"

#include <algorithm>
#include <cmath>

namespace lh {
namespace {

bool integer_within(const Json& value, int64_t low, int64_t high) {
  const bool huge = value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX;  // would compare as negative
  return value.is_number_integer() && !huge && value >= low && value <= high;
}

bool are_texts(const Json& value, bool may_be_empty) {
  const auto good = [may_be_empty](const Json& item) {
    return item.is_string() && (may_be_empty || !item.get_ref<const std::string&>().empty());
  };
  return value.is_array() && std::ranges::all_of(value, good);
}

const char* texts_expected(bool may_be_empty) {
  return may_be_empty ? "an array of strings" : "an array of strings that are not empty";
}

}  // namespace

Json integer_or_auto(int32_t value) { return value == kAutoNumber ? Json("auto") : Json(value); }

ObjectReader::ObjectReader(const Json& object, std::string what, Null null, Keys keys)
    : object_(object), what_(std::move(what)), null_(null), keys_(keys) {
  if (!object_.is_object()) {
    status_ = Status(Code::kInvalidArgument, what_ + " must be a JSON object, got " + dump_json(object_));
  }
}

const Json* ObjectReader::find(const char* key) {
  known_.emplace_back(key);
  if (!status_.ok()) return nullptr;
  const auto found = object_.find(key);
  if (found == object_.end()) return nullptr;
  return found->is_null() && null_ == Null::kAbsent ? nullptr : &*found;
}

void ObjectReader::wrong(const char* key, std::string_view expected, const Json& got) {
  status_ = Status(Code::kInvalidArgument, what_ + "." + shown_key(key, keys_) + " must be " + std::string(expected) +
                                               ", got " + dump_json(got));
}

ObjectReader& ObjectReader::text(const char* key, std::string& out, const char* expected) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  if (found->is_null()) {
    out.clear();
  } else if (found->is_string()) {
    out = found->get<std::string>();
  } else {
    wrong(key, expected, *found);
  }
  return *this;
}

ObjectReader& ObjectReader::name(const char* key, std::string& out, const char* expected) {
  const Json* found = find(key);
  if (found != nullptr && found->is_string() && found->get_ref<const std::string&>().empty()) {
    wrong(key, expected, *found);
    return *this;
  }
  return text(key, out, expected);
}

ObjectReader& ObjectReader::flag(const char* key, bool& out) {
  if (const Json* found = find(key)) read_flag(key, *found, out);
  return *this;
}

ObjectReader& ObjectReader::flag(const char* key, std::optional<bool>& out) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  if (found->is_null()) {
    out.reset();
  } else {
    read_flag(key, *found, out.emplace());
  }
  return *this;
}

void ObjectReader::read_flag(const char* key, const Json& found, bool& out) {
  if (found.is_boolean()) {
    out = found.get<bool>();
  } else {
    wrong(key, "a boolean", found);
  }
}

ObjectReader& ObjectReader::integer(const char* key, int32_t& out, int64_t low, int64_t high, const char* expected) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  if (integer_within(*found, low, high)) {
    out = found->get<int32_t>();
  } else {
    wrong(key, expected, *found);
  }
  return *this;
}

ObjectReader& ObjectReader::integer_or_auto(const char* key, int32_t& out, int64_t low, int64_t high,
                                            const char* expected) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  if (*found == "auto") {
    out = kAutoNumber;
  } else if (integer_within(*found, low, high)) {
    out = found->get<int32_t>();
  } else {
    wrong(key, expected, *found);
  }
  return *this;
}

template <typename T>
ObjectReader& ObjectReader::unset_or(const char* key, std::optional<T>& out, int64_t low, int64_t high,
                                     const char* expected) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  if (found->is_null()) {
    out.reset();
  } else if (integer_within(*found, low, high)) {
    out = found->get<T>();
  } else {
    wrong(key, expected, *found);
  }
  return *this;
}

ObjectReader& ObjectReader::integer(const char* key, std::optional<int32_t>& out, int64_t low, int64_t high,
                                    const char* expected) {
  return unset_or(key, out, low, high, expected);
}

ObjectReader& ObjectReader::integer(const char* key, std::optional<uint32_t>& out, int64_t low, int64_t high,
                                    const char* expected) {
  return unset_or(key, out, low, high, expected);
}

ObjectReader& ObjectReader::number(const char* key, double& out, double low, double high, const char* expected) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  const double got = found->is_number() ? found->get<double>() : std::nan("");
  if (got >= low && got <= high) {  // neither holds for what is not a number
    out = got;
  } else {
    wrong(key, expected, *found);
  }
  return *this;
}

ObjectReader& ObjectReader::texts(const char* key, std::vector<std::string>& out, bool may_be_empty) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  if (are_texts(*found, may_be_empty)) {
    out = found->get<std::vector<std::string>>();
  } else {
    wrong(key, texts_expected(may_be_empty), *found);
  }
  return *this;
}

ObjectReader& ObjectReader::texts(const char* key, std::optional<std::vector<std::string>>& out, bool may_be_empty) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  if (found->is_null()) {
    out.reset();
  } else if (are_texts(*found, may_be_empty)) {
    out = found->get<std::vector<std::string>>();
  } else {
    wrong(key, texts_expected(may_be_empty), *found);
  }
  return *this;
}

ObjectReader& ObjectReader::numbers(const char* key, std::optional<std::vector<double>>& out, double low, double high,
                                    const char* expected) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  const auto good = [&](const Json& one) {
    return one.is_number() && one.get<double>() >= low && one.get<double>() <= high;
  };
  if (found->is_null()) {
    out.reset();
  } else if (found->is_array() && std::ranges::all_of(*found, good)) {
    out = found->get<std::vector<double>>();
  } else {
    wrong(key, expected, *found);
  }
  return *this;
}

ObjectReader& ObjectReader::integers_by_name(const char* key, std::map<std::string, int32_t>& out, int64_t low,
                                             int64_t high, const char* expected) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  const auto good = [&](const Json& one) { return integer_within(one, low, high); };
  if (found->is_null()) {
    out.clear();
  } else if (found->is_object() && std::ranges::all_of(*found, good)) {
    out = found->get<std::map<std::string, int32_t>>();
  } else {
    wrong(key, expected, *found);
  }
  return *this;
}

ObjectReader& ObjectReader::schema(const char* key, std::optional<Json>& out) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  if (found->is_null()) {
    out.reset();
  } else if (found->is_object() || found->is_boolean()) {
    out = *found;
  } else {
    wrong(key, "a JSON Schema", *found);
  }
  return *this;
}

ObjectReader& ObjectReader::object(const char* key, std::optional<Json>& out) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  if (found->is_null()) {
    out.reset();
  } else if (found->is_object()) {
    out = *found;
  } else {
    wrong(key, "an object", *found);
  }
  return *this;
}

size_t ObjectReader::pick(const char* key, size_t now, std::span<const std::string_view> names, const char* expected) {
  const Json* found = find(key);
  if (found == nullptr) return now;
  for (size_t i = 0; i < names.size(); ++i) {
    if (*found == names[i]) return i;
  }
  wrong(key, expected, *found);
  return now;
}

const Json* ObjectReader::value(const char* key) { return find(key); }

Status ObjectReader::done() {
  if (!status_.ok()) return status_;
  for (const auto& [key, value] : object_.items()) {
    if (std::ranges::find(known_, key) == known_.end()) {
      return Status(Code::kInvalidArgument, "unknown key " + what_ + "." + shown_key(key, keys_));
    }
  }
  return {};
}

}  // namespace lh
