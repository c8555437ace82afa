#include "base/json/json.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "base/text/utf8.h"

namespace lh {
namespace {

// The byte at which the nesting exceeds kMaxJsonDepth, or npos. Any answer is right for text that is not JSON.
size_t too_deep_at(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxJsonDepth) return at;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::string_view::npos;
}

Status not_json(std::string_view what, size_t byte, std::string_view why) {
  std::string message(what);
  message += ": not JSON at byte ";
  message += std::to_string(byte);
  message += ": ";
  message += why;
  return {Code::kInvalidArgument, std::move(message)};
}

// The bytes that need no escape inside a JSON string.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (size_t byte = 0x20; byte < 0x80; ++byte) plain[byte] = byte != '"' && byte != '\\';
  return plain;
}();

// The number of leading bytes that need no escape, eight at a time: a context is mainly such text.
size_t plain_prefix(std::string_view text) {
  constexpr uint64_t kOnes = 0x0101010101010101U;
  constexpr uint64_t kHighs = 0x8080808080808080U;
  const auto has_zero = [](uint64_t word) { return (word - kOnes) & ~word & kHighs; };
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    const uint64_t below_space = (word - kOnes * 0x20) & ~word & kHighs;
    if (((word & kHighs) | below_space | has_zero(word ^ (kOnes * '"')) | has_zero(word ^ (kOnes * '\\'))) != 0) break;
  }
  while (at < text.size() && kPlain[static_cast<uint8_t>(text[at])]) ++at;
  return at;
}

void append_escape(std::string& out, char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  out += "\\u00";
  out += kHex[(static_cast<uint8_t>(c) >> 4) & 0xF];
  out += kHex[static_cast<uint8_t>(c) & 0xF];
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view what) {
  if (const size_t at = too_deep_at(text); at != std::string_view::npos) {
    return not_json(what, at, "nested deeper than " + std::to_string(kMaxJsonDepth) + " values");
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return not_json(what, error.byte, error.what());
  } catch (const Json::exception& error) {  // a number out of range
    return Status(Code::kInvalidArgument, std::string(what) + ": " + error.what());
  }
}

std::string dump_json(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const size_t plain = plain_prefix(text);
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (static_cast<uint8_t>(text[0]) < 0x80) {
      append_escape(out, text[0]);
      text.remove_prefix(1);
      continue;
    }
    const Utf8Step step = utf8_step(text);
    out.append(step.kind == Utf8Step::Kind::kCharacter ? text.substr(0, step.length) : kReplacementCharacter);
    text.remove_prefix(step.length);
  }
  out += '"';
}

void separate_member(std::string& out) {
  if (!out.empty() && out.back() != ',' && out.back() != '{' && out.back() != '[') out += ',';
}

bool same_json(const Json& a, const Json& b) {
  if (a.is_object() && b.is_object()) {
    if (a.size() != b.size()) return false;
    for (const auto& [key, value] : a.items()) {
      const auto other = b.find(key);
      if (other == b.end() || !same_json(value, *other)) return false;
    }
    return true;
  }
  if (a.is_array() && b.is_array()) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!same_json(a[i], b[i])) return false;
    }
    return true;
  }
  return a == b;
}

Json canonical_json(const Json& value) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& item : value) out.push_back(canonical_json(item));
    return out;
  }
  if (value.is_number_float()) {
    constexpr double kTwoTo63 = 9223372036854775808.0;
    const auto number = value.get<double>();
    if (number != std::trunc(number) || number < -kTwoTo63 || number >= 2 * kTwoTo63) return value;
    return number < 0 ? Json(static_cast<int64_t>(number)) : Json(static_cast<uint64_t>(number));
  }
  if (!value.is_object()) return value;
  std::map<std::string, Json> members;
  for (const auto& [name, item] : value.items()) members.emplace(name, canonical_json(item));
  Json out = Json::object();
  for (auto& [name, item] : members) out[name] = std::move(item);
  return out;
}

}  // namespace lh
