#include "base/json/python_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace lh {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;
constexpr double kFirstWithExponent = 1e21;  // in JavaScript
constexpr int kMostPlaces = 16;              // before the point, in Python
constexpr int kMostZeros = 3;                // behind the point, before the first digit

bool is_integer(double number) {
  return number == std::trunc(number) && std::abs(number) >= kTwoTo63 && std::abs(number) < kFirstWithExponent;
}

// llama.cpp reads such an integer as a negative one.
bool is_misread(const Json& number) {
  if (number.is_number_unsigned()) return number.get<uint64_t>() > std::numeric_limits<int64_t>::max();
  if (!number.is_number_float()) return false;
  const auto value = number.get<double>();
  return value >= kTwoTo63 && value < kTwoTo64;
}

void append_json(std::string& out, const Json& value, bool for_template) {
  if (value.is_string()) return append_json_string(out, value.get_ref<const std::string&>());
  if (value.is_number()) {
    out += python_number(value);
    if (for_template && is_misread(value)) out += ".0";
    return;
  }
  if (!value.is_structured()) {
    out += dump_json(value);
    return;
  }
  const bool list = value.is_array();
  out += list ? '[' : '{';
  bool first = true;
  for (auto member = value.begin(); member != value.end(); ++member) {
    if (!first) out += ',';
    first = false;
    if (!list) {
      append_json_string(out, member.key());
      out += ':';
    }
    append_json(out, *member, for_template);
  }
  out += list ? ']' : '}';
}

}  // namespace

std::string python_number(double number) {
  if (!std::isfinite(number)) return std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
  std::array<char, 32> written{};
  const auto end =
      std::to_chars(written.data(), written.data() + written.size(), number, std::chars_format::scientific).ptr;
  std::string_view text(written.data(), static_cast<size_t>(end - written.data()));
  std::string out;
  if (text.front() == '-') {
    out = "-";
    text.remove_prefix(1);
  }
  const size_t mark = text.find('e');
  const std::string_view sign_and_power = text.substr(mark + 1);  // such as "+21", "-05": as Python writes it
  int power = 0;
  std::from_chars(sign_and_power.data() + 1, sign_and_power.data() + sign_and_power.size(), power);
  if (sign_and_power.front() == '-') power = -power;
  std::string digits(text.substr(0, mark));
  const bool integer = is_integer(number);
  if (!integer && (power >= kMostPlaces || power < -kMostZeros - 1)) {
    return out + digits + "e" + std::string(sign_and_power);
  }
  if (digits.size() > 1) digits.erase(1, 1);  // the point
  if (power < 0) return out + "0." + std::string(static_cast<size_t>(-power - 1), '0') + digits;
  const size_t whole = static_cast<size_t>(power) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  out.append(digits, 0, whole);
  if (integer) return out;
  return out + "." + (digits.size() > whole ? digits.substr(whole) : "0");
}

std::string python_number(const Json& number) {
  return number.is_number_float() ? python_number(number.get<double>()) : dump_json(number);
}

std::string python_json(const Json& value) {
  std::string text;
  append_json(text, value, false);
  return text;
}

std::string template_json(const Json& value) {
  std::string text;
  append_json(text, value, true);
  return text;
}

}  // namespace lh
