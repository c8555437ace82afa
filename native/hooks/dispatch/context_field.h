// The fields of a context, by the type that points.json gives them. A field refers to the value that it is made of, so
// that a context lives no longer than the expression that makes it. None has a default: a context that lacks a field
// does not compile.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/json/json.h"
#include "hooks/points/field_set.h"

namespace lh::context {

template <typename T>
concept Textual = std::convertible_to<const T&, std::string_view> && !std::same_as<T, std::nullptr_t>;
template <typename T>
concept Whole = std::integral<T> && !std::same_as<T, bool>;

template <typename Number>
void append_number(std::string& out, Number number) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

class Text {
 public:
  template <Textual T>
  Text(const T& text) : text_(text) {}  // NOLINT: implicit by purpose, as are those below
  // A function that makes the text: called only if a hook reads the field.
  template <std::invocable Make>
  Text(const Make& make)  // NOLINT
      : make_(&make), call_([](const void* object) -> std::string { return (*static_cast<const Make*>(object))(); }) {}
  void append(std::string& out) const {
    make_ == nullptr ? append_json_string(out, text_) : append_json_string(out, call_(make_));
  }

 private:
  std::string_view text_;
  const void* make_ = nullptr;
  std::string (*call_)(const void*) = nullptr;
};

// An empty text is null.
class TextOrNull {
 public:
  template <Textual T>
  TextOrNull(const T& text) : text_(text) {}  // NOLINT
  TextOrNull(std::nullptr_t) {}               // NOLINT
  TextOrNull(const std::optional<std::string>& text)
      : text_(text ? std::string_view(*text) : std::string_view()) {}  // NOLINT
  void append(std::string& out) const { text_.empty() ? void(out += "null") : append_json_string(out, text_); }

 private:
  std::string_view text_;
};

class Integer {
 public:
  template <Whole T>
  Integer(T number) : number_(static_cast<uint64_t>(number)), negative_(std::cmp_less(number, 0)) {}  // NOLINT
  void append(std::string& out) const {
    negative_ ? append_number(out, static_cast<int64_t>(number_)) : append_number(out, number_);
  }

 private:
  uint64_t number_;
  bool negative_;
};

// A negative number is null.
class IntegerOrNull {
 public:
  template <Whole T>
  IntegerOrNull(T number) {  // NOLINT
    if (std::cmp_greater_equal(number, 0)) number_ = static_cast<uint64_t>(number);
  }
  template <Whole T>
  IntegerOrNull(const std::optional<T>& number) {  // NOLINT
    if (number) *this = *number;
  }
  void append(std::string& out) const { number_ ? append_number(out, *number_) : void(out += "null"); }

 private:
  std::optional<uint64_t> number_;
};

// JSON has no infinity: what is not finite is null.
class Number {
 public:
  Number(double number) : number_(number) {}  // NOLINT
  void append(std::string& out) const { std::isfinite(number_) ? append_number(out, number_) : void(out += "null"); }

 private:
  double number_;
};

class Flag {
 public:
  Flag(std::same_as<bool> auto flag) : flag_(flag) {}  // NOLINT: no number or pointer is a flag
  void append(std::string& out) const { out += flag_ ? "true" : "false"; }

 private:
  bool flag_;
};

template <typename T>
concept AppendsItself = std::invocable<const T&, std::string&>;
template <typename T>
concept HasAppend = requires(std::string& out, const T& value) {
  append_json(out, value);
};
template <typename T>
concept HasToJson = requires(const T& value) {
  { to_json(value) } -> std::same_as<Json>;
};

// An object, a list or a value of several types: JSON, a function that appends it, or an object with append_json() or
// to_json().
class Value {
 public:
  template <typename T>
  requires(std::same_as<T, Json> || AppendsItself<T> || HasAppend<T> || HasToJson<T>) Value(const T& value)
      : value_(&value), append_(&append_value<T>) {}  // NOLINT
  void append(std::string& out) const { append_(value_, out); }

 private:
  template <typename T>
  static void append_value(const void* value, std::string& out) {
    const T& it = *static_cast<const T*>(value);
    if constexpr (std::same_as<T, Json>) {
      out += dump_json(it);
    } else if constexpr (AppendsItself<T>) {
      it(out);
    } else if constexpr (HasAppend<T>) {
      append_json(out, it);
    } else {
      out += dump_json(to_json(it));
    }
  }

  const void* value_;
  void (*append_)(const void*, std::string&);
};

// Writes the fields that hooks read, and makes no others.
class Members {
 public:
  Members(std::string& out, const FieldSet& wanted) : out_(out), wanted_(wanted), all_(wanted.all()) {}

  // `key`: the name as JSON has it after another member, `,"name":`, so that one append writes it: this runs for each
  // token.
  template <typename Field>
  void add(std::string_view key, const Field& field) {
    if (!all_ && !wanted_.has(key.substr(2, key.size() - 4))) return;
    out_ += first_ ? key.substr(1) : key;
    first_ = false;
    field.append(out_);
  }
  template <typename Field>
  void add(std::string_view key, const std::optional<Field>& field) {
    if (field) add(key, *field);
  }

 private:
  std::string& out_;
  const FieldSet& wanted_;
  const bool all_;
  bool first_ = true;
};

}  // namespace lh::context
