// JSON of structs whose fields are listed once, for records that only the engine writes:
//
//   struct Note {
//     std::string text;
//     int32_t count = 0;
//     template <typename Self, typename Fields>
//     static void fields(Self& self, Fields& all) {
//       all("text", self.text);
//       all("count", self.count, Absent::kIfEmpty);
//     }
//   };
//   Json json = json_of(note);
//   Result<Note> read = read_fields<Note>(json, "note", Code::kSessionFileInvalid);
//
// A field is a text, a flag, a number that is not negative, an enum with names_of(), JSON, a struct with fields, or a
// list, a map or an optional of these. The first mistake is the error; an unknown key is a mistake.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"

namespace lh {

// A status as a field: {"code", "message"}. It is empty if it is a success.
[[nodiscard]] Json to_field(const Status& status);
[[nodiscard]] std::string from_field(const Json& json, const std::string& at, Status& out);

enum class Absent : uint8_t {
  kNever,
  kIfEmpty,  // an empty value is left out, and a field that is missing keeps its default
};

class FieldWriter;
class FieldReader;

template <typename T>
concept HasFields = requires(T& value, FieldWriter& all) {
  std::remove_const_t<T>::fields(value, all);
};
// names_of(value): the names of all enumerators, in order, found in the namespace of the enum.
template <typename T>
concept HasNames = std::is_enum_v<T> && requires(T value) {
  { names_of(value) } -> std::convertible_to<std::span<const std::string_view>>;
};
// Json to_field(value), and from_field(json, at, value), which returns the error or an empty text: for other types.
template <typename T>
concept HasFunctions = requires(const T& value) {
  { to_field(value) } -> std::same_as<Json>;
};
template <typename T>
concept IsOptional = std::same_as<T, std::optional<typename T::value_type>>;
template <typename T>
concept IsMap = std::same_as<T, std::map<std::string, typename T::mapped_type>>;

class FieldWriter {
 public:
  template <typename T>
  void operator()(const char* name, const T& value, Absent absent = Absent::kNever) {
    if constexpr (!HasFields<const T>) {
      if (absent == Absent::kIfEmpty && is_empty(value)) return;
    }
    json_[name] = to_value(value);
  }
  // JSON that is an object, or a list of objects.
  void object(const char* name, const Json& value) { json_[name] = value; }
  void objects(const char* name, const Json& value) { json_[name] = value; }
  void object(const char* name, const std::optional<Json>& value) {
    if (value) json_[name] = *value;
  }

  [[nodiscard]] Json take() && { return std::move(json_); }

 private:
  template <typename T>
  static bool is_empty(const T& value) {
    if constexpr (std::same_as<T, Json>) {
      return value.is_null();
    } else if constexpr (std::same_as<T, Status>) {
      return value.ok();
    } else if constexpr (IsOptional<T>) {
      return !value;
    } else if constexpr (requires { value.empty(); }) {
      return value.empty();
    } else {
      return value == T{};
    }
  }
  template <typename T>
  static Json to_value(const T& value) {
    if constexpr (HasFunctions<T>) {
      return to_field(value);
    } else if constexpr (HasNames<T>) {
      return names_of(value)[static_cast<size_t>(value)];
    } else if constexpr (HasFields<const T>) {
      FieldWriter all;
      T::fields(value, all);
      return std::move(all).take();
    } else if constexpr (IsOptional<T>) {
      return value ? to_value(*value) : Json();
    } else if constexpr (IsMap<T>) {
      Json json = Json::object();
      for (const auto& [key, one] : value) json[key] = to_value(one);
      return json;
    } else if constexpr (std::same_as<T, Json> || std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
      return value;
    } else {
      Json json = Json::array();
      for (const auto& one : value) json.push_back(to_value(one));
      return json;
    }
  }

  Json json_ = Json::object();
};

class FieldReader {
 public:
  // `at`: the place of the object in errors; empty: it has none.
  FieldReader(const Json& json, std::string at) : json_(json), at_(std::move(at)) {
    if (!json.is_object()) fail(at_, "object", json);
  }

  template <typename T>
  void operator()(const char* name, T& value, Absent absent = Absent::kNever) {
    if (const Json* const found = find(name, absent)) read(*found, place(name), value);
  }
  void object(const char* name, Json& value, Absent absent = Absent::kNever);
  void object(const char* name, std::optional<Json>& value);
  void objects(const char* name, Json& value);

  // Empty: all is well.
  [[nodiscard]] std::string end() &&;

 private:
  [[nodiscard]] std::string place(std::string_view name) const {
    return (at_.empty() ? "" : at_ + ".") + std::string(name);
  }
  const Json* find(const char* name, Absent absent);
  void fail(const std::string& at, std::string_view expected, const Json& got);

  template <typename T>
  void read(const Json& json, const std::string& at, T& out) {
    if (!error_.empty()) return;
    if constexpr (std::same_as<T, Json>) {
      out = json;
    } else if constexpr (std::same_as<T, std::string>) {
      if (!json.is_string()) return fail(at, "string", json);
      out = json.get<std::string>();
    } else if constexpr (std::same_as<T, bool>) {
      if (!json.is_boolean()) return fail(at, "boolean", json);
      out = json.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
      const bool fits = json.is_number_unsigned() && std::in_range<T>(json.get<uint64_t>());
      if (!fits) return fail(at, "count", json);
      out = json.get<T>();
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!json.is_number() || json.get<double>() < 0) return fail(at, "number that is not negative", json);
      out = json.get<T>();
    } else if constexpr (HasFunctions<T>) {
      error_ = from_field(json, at, out);
    } else if constexpr (HasNames<T>) {
      read_name(json, at, out);
    } else if constexpr (HasFields<T>) {
      FieldReader all(json, at);
      T::fields(out, all);
      error_ = std::move(all).end();
    } else if constexpr (IsOptional<T>) {
      if (!json.is_null()) read(json, at, out.emplace());
    } else if constexpr (IsMap<T>) {
      if (!json.is_object()) return fail(at, "object", json);
      for (const auto& [key, one] : json.items()) read(one, at + "." + key, out[key]);
    } else {
      read_list(json, at, out);
    }
  }
  template <typename T>
  void read_name(const Json& json, const std::string& at, T& out) {
    const std::span<const std::string_view> names = names_of(out);
    for (size_t i = 0; i < names.size(); ++i) {
      if (json == names[i]) return out = static_cast<T>(i), void();
    }
    fail(at, "name that the engine writes", json);
  }
  template <typename T>
  void read_list(const Json& json, const std::string& at, std::vector<T>& out) {
    if (!json.is_array()) return fail(at, "array", json);
    for (const Json& one : json) {
      const std::string place = at + "[" + std::to_string(out.size()) + "]";
      read(one, place, out.emplace_back());
    }
  }
  template <typename T, size_t N>
  void read_list(const Json& json, const std::string& at, std::array<T, N>& out) {
    if (!json.is_array() || json.size() != N) return fail(at, "array of " + std::to_string(N), json);
    for (size_t i = 0; i < N; ++i) read(json[i], at + "[" + std::to_string(i) + "]", out[i]);
  }

  const Json& json_;
  const std::string at_;
  std::vector<std::string_view> known_;
  std::string error_;
};

template <HasFields T>
[[nodiscard]] Json json_of(const T& value) {
  FieldWriter all;
  T::fields(value, all);
  return std::move(all).take();
}

// `at`: the place of the object in errors, which have `code`.
template <HasFields T>
[[nodiscard]] Result<T> read_fields(const Json& json, const std::string& at, Code code) {
  T value;
  FieldReader all(json, at);
  T::fields(value, all);
  std::string error = std::move(all).end();
  if (!error.empty()) return Status(code, std::move(error));
  return value;
}

}  // namespace lh
