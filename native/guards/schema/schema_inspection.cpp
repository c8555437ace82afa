#include "guards/schema/schema_inspection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/utf8.h"
#include "guards/json_pattern.h"
#include "guards/schema/schema_edit.h"
#include "guards/schema/schema_keywords.h"

namespace lh {
namespace {

class Walker {
 public:
  explicit Walker(const std::function<PatternUse(const std::string&)>& pattern) : pattern_(pattern) {}

  SchemaReport walk(const Json& schema) {
    root_ = &schema;
    visit(schema, "#");
    report_.schema = schema;
    for (SchemaEdit& edit : edits_) apply(report_.schema, std::move(edit));
    // The converter's callers treat an empty schema as none.
    if (report_.schema.is_object() && report_.schema.empty()) report_.schema["description"] = "any JSON value";
    return std::move(report_);
  }

 private:
  void change(const std::string& at, const char* key, std::optional<Json> value) {
    edits_.push_back({at, key, std::move(value)});
  }

  // The converter recurses for each nested schema, and for each target of a reference.
  void visit(const Json& schema, const std::string& at) {
    if (report_.fault) return;
    const auto [known, fresh] = heights_.try_emplace(at, 0);
    if (!fresh) return reach(depth_ + known->second, at);
    const size_t reached_before = std::exchange(reached_, ++depth_);
    reach(depth_, at);
    if (count(at)) read_schema(schema, at);
    known->second = reached_ - --depth_;
    reached_ = std::max(reached_before, reached_);
  }

  void reach(size_t depth, const std::string& at) {
    reached_ = std::max(reached_, depth);
    if (depth > kMaxDepth) fail(at, "schemas nest, or references lead, deeper than " + std::to_string(kMaxDepth));
  }

  void read_schema(const Json& schema, const std::string& at) {
    if (report_.fault) return;
    if (schema.is_boolean() && schema.get<bool>()) {
      edits_.push_back({at, "", Json::object()});
      return;
    }
    if (!schema.is_object()) return fail(at, "schema must be an object");
    Keywords used = read(schema, at);
    used.insert("type");
    for (const auto& [key, value] : schema.items()) {
      const bool nothing = key == "uniqueItems" && value == false;
      if (kAsserting.contains(key) && !used.contains(key) && !nothing) report_.ignored.push_back({at, key});
    }
  }

  // Visits the keywords that the converter uses, in its order.
  Keywords read(const Json& schema, const std::string& at) {
    if (schema.contains("$ref")) return visit_target(schema["$ref"]), Keywords{"$ref"};
    for (const char* key : {"oneOf", "anyOf"}) {
      if (!schema.contains(key)) continue;
      return visit_list(schema[key], at + "/" + key), Keywords{key};
    }
    if (schema.contains("const")) return {"const"};
    if (schema.contains("enum")) {
      if (schema["enum"].is_array() && !schema["enum"].empty()) {
        values_ += schema["enum"].size() - 1;
        count(at);
      }
      return {"enum"};
    }
    if (schema.contains("type") && schema["type"].is_array()) {
      Keywords used;
      std::set<std::string> types;
      for (const Json& type : schema["type"]) {
        if (type.is_string()) types.insert(type.get<std::string>());
      }
      for (const std::string& type : types) used.merge(read_type(schema, type, at));
      return used;
    }
    const bool typed = schema.contains("type") && schema["type"].is_string();
    return read_type(schema, typed ? schema["type"].get<std::string>() : "", at);
  }

  Keywords read_type(const Json& schema, const std::string& type, const std::string& at) {
    const auto has = [&schema](const char* key) { return schema.contains(key); };
    const bool properties =
        has("properties") || (has("additionalProperties") && schema["additionalProperties"] != true);
    const bool plain_object = type == "object" || (type.empty() && properties);
    if (plain_object) return read_object(schema, at);
    if (type == "array" || (type.empty() && (has("items") || has("prefixItems")))) return read_array(schema, at);
    const bool text = has("pattern") || has("minLength") || has("maxLength") || known_format(schema);
    if (type == "string" || (type.empty() && text)) return read_string(schema, at);
    if (type == "integer") return read_integer(schema, at);
    return {};
  }

  // All definitions are members of `$defs` of the whole, and have plain names.
  void visit_target(const Json& reference) {
    constexpr std::string_view kDefinitions = "#/$defs/";
    const auto& path = reference.get_ref<const std::string&>();
    const std::string name = path.substr(kDefinitions.size());
    visit((*root_)["$defs"][name], path);
  }

  Keywords read_object(const Json& schema, const std::string& at) {
    if (schema.contains("properties") && schema["properties"].is_object()) {
      visit_members(schema["properties"], at + "/properties");
    }
    if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object()) {
      visit(schema["additionalProperties"], at + "/additionalProperties");
    }
    count_optional(schema, at);
    Keywords used = {"properties", "additionalProperties", "required"};
    if (schema.contains("additionalProperties") && schema["additionalProperties"] != false && has_unsafe_name(schema)) {
      change(at, "additionalProperties", false);
      used.erase("additionalProperties");
    }
    if (schema.contains("required") && schema["required"].is_array()) {
      const bool all = std::ranges::all_of(schema["required"], [&schema](const Json& name) {
        return name.is_string() && schema.contains("properties") && schema["properties"].is_object() &&
               schema["properties"].contains(name.get<std::string>());
      });
      if (!all) used.erase("required");
    }
    return used;
  }

  // Other names than these become character classes in the converter, without escaping.
  static bool has_unsafe_name(const Json& schema) {
    if (!schema.contains("properties") || !schema["properties"].is_object()) return false;
    for (const auto& [name, _] : schema["properties"].items()) {
      const auto unsafe = [](char c) {
        return static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\' || c == ']' || c == '^';
      };
      if (name.empty() || std::ranges::any_of(name, unsafe)) return true;
    }
    return false;
  }

  // The converter's time grows with the cube of an object's optional properties.
  void count_optional(const Json& schema, const std::string& at) {
    if (!schema.contains("properties") || !schema["properties"].is_object()) return;
    std::set<std::string> optional;
    for (const auto& [name, _] : schema["properties"].items()) optional.insert(name);
    if (schema.contains("required") && schema["required"].is_array()) {
      for (const Json& name : schema["required"]) {
        if (name.is_string()) optional.erase(name.get<std::string>());
      }
    }
    optional_work_ += optional.size() * optional.size() * optional.size();
    if (optional_work_ <= kMaxOptional * kMaxOptional * kMaxOptional) return;
    fail(at, "more than " + std::to_string(kMaxOptional) + " properties are not required");
  }

  Keywords read_array(const Json& schema, const std::string& at) {
    const char* key = schema.contains("items") ? "items" : "prefixItems";
    if (schema.contains(key) && schema[key].is_array()) {
      visit_list(schema[key], at + "/" + key);
      return {key};
    }
    if (schema.contains(key)) visit(schema[key], at + "/" + key);
    return check_counts(schema, at, "minItems", "maxItems", {key});
  }

  Keywords read_string(const Json& schema, const std::string& at) {
    if (schema.contains("pattern") && schema["pattern"].is_string() && schema["pattern"] != "") {
      JsonPattern translated = json_pattern(schema["pattern"].get_ref<const std::string&>());
      pattern_bytes_ += translated.text.size();
      if (pattern_bytes_ > kMaxPatternBytes) fail(at, "the schema's patterns are too long");
      if (translated.use == PatternUse::kKept && !report_.fault) translated.use = pattern_(translated.text);
      switch (translated.use) {
        case PatternUse::kKept: change(at, "pattern", std::move(translated.text)); return {"pattern"};
        case PatternUse::kInvalid:
          fail(at, "pattern is not a regular expression: " + dump_json(schema["pattern"]));
          return {"pattern"};
        case PatternUse::kUnbounded:
          fail(at, "pattern has repetitions or a range that cannot be, too many repetitions, or is too long: " +
                       std::string(first_characters(dump_json(schema["pattern"]), 200)));
          return {"pattern"};
        case PatternUse::kIgnored: break;
      }
      // The converter would report it on stderr and accept any string.
      ignore(at, "pattern");
      if (!schema.contains("type")) change(at, "type", "string");
    }
    if (known_format(schema)) return {"format"};
    return check_counts(schema, at, "minLength", "maxLength", {});
  }

  Keywords check_counts(const Json& schema, const std::string& at, const char* least, const char* most, Keywords used) {
    const auto bound = [&](const char* key, int64_t absent) {
      if (!schema.contains(key)) return absent;
      const Json& value = schema[key];
      if (!value.is_number_integer() || value.get<double>() < 0) {
        fail(at, std::string(key) + " must be a whole number from 0 up, got " + dump_json(value));
        return absent;
      }
      return value.get<double>() > 1e15 ? int64_t{1} << 50 : value.get<int64_t>();
    };
    const int64_t low = bound(least, 0);
    const int64_t high = bound(most, std::numeric_limits<int64_t>::max());
    if (low > high) {
      fail(at, std::string(least) + " " + std::to_string(low) + " is above " + most + " " + std::to_string(high));
    }
    if (low > kMaxRepetitions) {
      fail(at, std::string(least) + " " + std::to_string(low) + " is more than the " + std::to_string(kMaxRepetitions) +
                   " that a grammar can count");
    }
    used.insert({least, most});
    if (high > kMaxRepetitions && schema.contains(most)) ignore(at, most);
    return used;
  }

  Keywords read_integer(const Json& schema, const std::string& at) {
    Keywords used;
    const auto bound = [&](const char* key, const char* exclusive, double absent) {
      const char* found = schema.contains(key) ? key : exclusive;
      if (!schema.contains(found)) return absent;
      if (!schema[found].is_number()) {
        fail(at, std::string(found) + " must be a number, got " + dump_json(schema[found]));
        return absent;
      }
      used.insert(found);
      const double value = schema[found].get<double>();
      return found == key ? value : key == std::string_view("minimum") ? std::floor(value) + 1 : std::ceil(value) - 1;
    };
    const double low = bound("minimum", "exclusiveMinimum", -kEveryInteger);
    const double high = bound("maximum", "exclusiveMaximum", kEveryInteger);
    if (std::ceil(low) > std::floor(high)) fail(at, "no integer is between its minimum and its maximum");
    // The converter supports integers of at most 16 digits, and of 15 with a single bound.
    const bool lone = low == -kEveryInteger || high == kEveryInteger;
    const double largest = lone ? kTooManyDigits / 10 : kTooManyDigits;
    if (low >= largest || high <= -largest) fail(at, "its integers have too many digits");
    // Bounds that no such integer reaches would wrap around.
    if (low <= -kTooManyDigits) erase(at, {"minimum", "exclusiveMinimum"});
    if (high >= kTooManyDigits) erase(at, {"maximum", "exclusiveMaximum"});
    return used;
  }

  void erase(const std::string& at, std::initializer_list<const char*> keys) {
    for (const char* key : keys) change(at, key, std::nullopt);
  }

  static bool known_format(const Json& schema) {
    return schema.contains("format") && is_known_format(schema["format"]);
  }

  void ignore(const std::string& at, const char* key) {
    change(at, key, std::nullopt);
    report_.ignored.push_back({at, key});
  }

  void visit_members(const Json& members, const std::string& at) {
    for (const auto& [name, value] : members.items()) {
      if (report_.fault) return;
      visit(value, at + "/" + escape_pointer(name));
    }
  }

  void visit_list(const Json& list, const std::string& at) {
    if (!list.is_array()) return;
    for (size_t i = 0; i < list.size() && !report_.fault; ++i) visit(list[i], at + "/" + std::to_string(i));
  }

  bool count(const std::string& at) {
    if (++values_ <= kMaxSchemaValues) return true;
    count_over(at);
    return false;
  }

  void count_over(const std::string& at) {
    fail(at, "the schema has more than " + std::to_string(kMaxSchemaValues) + " parts");
  }

  void fail(const std::string& at, std::string what) {
    if (!report_.fault) report_.fault = SchemaPlace{at, std::move(what)};
  }

  static constexpr size_t kMaxDepth = 400;  // the converter recurses, on threads with as little as 512 KB of stack
  static constexpr size_t kMaxPatternBytes = 256 << 10;  // in the form for the converter
  static constexpr double kTooManyDigits = 1e16;
  static constexpr double kEveryInteger = 1e300;

  const std::function<PatternUse(const std::string&)>& pattern_;
  const Json* root_ = nullptr;
  std::vector<SchemaEdit> edits_;  // applied after the walk: references lead anywhere, also to a place being visited
  SchemaReport report_;
  std::map<std::string, size_t> heights_;  // by place: the depth of the schemas below it
  size_t depth_ = 0;                       // of the current place
  size_t reached_ = 0;                     // maximum so far
  size_t pattern_bytes_ = 0;
  size_t values_ = 0;
  size_t optional_work_ = 0;
};

}  // namespace

bool is_known_format(const Json& format) {
  static const Keywords kFormats = {"date", "time", "date-time", "uuid", "uuid1", "uuid2", "uuid3", "uuid4", "uuid5"};
  return format.is_string() && kFormats.contains(format.get_ref<const std::string&>());
}

SchemaReport inspect_schema(const Json& schema, const std::function<PatternUse(const std::string&)>& pattern) {
  return Walker(pattern).walk(schema);
}

}  // namespace lh
