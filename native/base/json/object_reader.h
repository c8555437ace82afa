// Reads the keys of one JSON object with their types and ranges. The first mistake is the error; an unknown key, which
// no caller read, is a mistake, too.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"
#include "base/text/names.h"

namespace lh {

// The value that means "auto", for numbers that may also be that word.
inline constexpr int32_t kAutoNumber = INT32_MIN;
[[nodiscard]] Json integer_or_auto(int32_t value);

class ObjectReader {
 public:
  // The meaning of null: an absent key, or "unset" for a value that may be unset (a mistake for any other).
  enum class Null { kAbsent, kUnset };

  // `what` names the object in errors: "options", "request". `object` and the keys must outlive the reader.
  ObjectReader(const Json& object, std::string what, Null null = Null::kAbsent, Keys keys = Keys::kOfContract);

  // Each reader leaves `out` unchanged if the key is absent. `expected` is used in the error: "<key> must be
  // <expected>".
  ObjectReader& text(const char* key, std::string& out, const char* expected = "a string");  // unset: empty
  ObjectReader& name(const char* key, std::string& out,
                     const char* expected = "a string that is not empty");  // also for ids
  ObjectReader& flag(const char* key, bool& out);
  ObjectReader& flag(const char* key, std::optional<bool>& out);
  ObjectReader& integer(const char* key, int32_t& out, int64_t low, int64_t high, const char* expected);
  ObjectReader& integer(const char* key, std::optional<int32_t>& out, int64_t low, int64_t high, const char* expected);
  ObjectReader& integer(const char* key, std::optional<uint32_t>& out, int64_t low, int64_t high, const char* expected);
  ObjectReader& integer_or_auto(const char* key, int32_t& out, int64_t low, int64_t high, const char* expected);
  ObjectReader& number(const char* key, double& out, double low, double high, const char* expected);
  ObjectReader& texts(const char* key, std::vector<std::string>& out, bool may_be_empty);
  ObjectReader& texts(const char* key, std::optional<std::vector<std::string>>& out, bool may_be_empty);
  ObjectReader& numbers(const char* key, std::optional<std::vector<double>>& out, double low, double high,
                        const char* expected);
  ObjectReader& integers_by_name(const char* key, std::map<std::string, int32_t>& out, int64_t low, int64_t high,
                                 const char* expected);  // unset: empty
  ObjectReader& schema(const char* key, std::optional<Json>& out);
  ObjectReader& object(const char* key, std::optional<Json>& out);
  template <typename Enum>  // enumerators in the order of `names`
  ObjectReader& choice(const char* key, Enum& out, std::span<const std::string_view> names, const char* expected) {
    out = static_cast<Enum>(pick(key, static_cast<size_t>(out), names, expected));
    return *this;
  }
  // The raw value, or null if the key is absent.
  const Json* value(const char* key);

  // Reports a wrong value, for readers of other types.
  void wrong(const char* key, std::string_view expected, const Json& got);

  // The first error; with none, an error for the first key that was not read.
  [[nodiscard]] Status done();

 private:
  const Json* find(const char* key);
  void read_flag(const char* key, const Json& found, bool& out);
  size_t pick(const char* key, size_t now, std::span<const std::string_view> names, const char* expected);
  template <typename T>
  ObjectReader& unset_or(const char* key, std::optional<T>& out, int64_t low, int64_t high, const char* expected);

  const Json& object_;
  std::string what_;
  Null null_;
  Keys keys_;
  std::vector<std::string_view> known_;
  Status status_;
};

}  // namespace lh
