#include "hooks/points/matcher.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json/json.h"
#include "base/json/json_member.h"
#include "base/text/names.h"

namespace lh {
namespace {

using PatternKind = FieldPattern::Kind;
using Of = FieldTest::Of;

constexpr std::array<std::pair<std::string_view, Of>, 7> kTold = {{{"tier", Of::kTier},
                                                                   {"model_id", Of::kModelId},
                                                                   {"depth", Of::kDepth},
                                                                   {"iteration", Of::kIteration},
                                                                   {"session_id", Of::kSessionId},
                                                                   {"run_id", Of::kRunId},
                                                                   {"parent_run_id", Of::kParentRunId}}};

constexpr std::string_view kTagFields = "tags.";

// A value of a context in the form that tests need. Its text may belong to the holder.
struct Value {
  enum class Is : uint8_t { kAbsent, kNull, kBoolean, kNumber, kText, kOther };
  Is is = Is::kAbsent;
  bool boolean = false;
  double number = 0;
  std::string_view text = {};
};

Value text_or_null(const std::string& text) {
  return text.empty() ? Value{Value::Is::kNull} : Value{Value::Is::kText, false, 0, text};
}

Value number_or_null(int number) {
  return number < 0 ? Value{Value::Is::kNull} : Value{Value::Is::kNumber, false, static_cast<double>(number), {}};
}

Value value_of(const Json* tag) {
  if (tag == nullptr) return {Value::Is::kNull};
  if (tag->is_boolean()) return {Value::Is::kBoolean, tag->get<bool>()};
  if (tag->is_number()) return {Value::Is::kNumber, false, tag->get<double>(), {}};
  return {Value::Is::kText, false, 0, tag->get_ref<const std::string&>()};
}

// The value that the dispatch itself knows for the field; absent if it knows none.
Value told(const FieldTest& test, const Scope& scope) {
  switch (test.of) {
    case Of::kContext: return {};
    case Of::kTier: return text_or_null(scope.tier);
    case Of::kModelId: return text_or_null(scope.model_id);
    case Of::kDepth: return number_or_null(scope.depth);
    case Of::kIteration: return number_or_null(scope.iteration);
    case Of::kSessionId: return text_or_null(scope.session_id);
    case Of::kRunId: return text_or_null(scope.run_id);
    case Of::kParentRunId: return text_or_null(scope.parent_run_id);
    case Of::kTag: return value_of(scope.tags.find(test.field));
  }
  return {};
}

// The value if known before the context is built; none: only the context has it.
std::optional<Value> known_value(const FieldTest& test, const Scope& scope, const KnownField* known) {
  if (known != nullptr && known->name == test.field) return Value{Value::Is::kText, false, 0, known->text};
  Value value = told(test, scope);
  const bool nothing = value.is == Value::Is::kAbsent || value.is == Value::Is::kNull;
  if (nothing && test.in_context) return std::nullopt;
  return value;
}

bool has_part(std::string_view text, const FieldPattern& part) {
  if (part.starts && part.ends) return text == part.text;
  if (part.starts) return text.starts_with(part.text);
  return part.ends ? text.ends_with(part.text) : text.find(part.text) != std::string_view::npos;
}

bool fits_one(const Value& value, const FieldPattern& pattern) {
  switch (pattern.kind) {
    case PatternKind::kNull: return value.is == Value::Is::kNull;
    case PatternKind::kBoolean: return value.is == Value::Is::kBoolean && value.boolean == pattern.boolean;
    case PatternKind::kNumber: return value.is == Value::Is::kNumber && value.number == pattern.number;
    case PatternKind::kText: return value.is == Value::Is::kText && value.text == pattern.text;
    case PatternKind::kPart: return value.is == Value::Is::kText && has_part(value.text, pattern);
  }
  return false;
}

bool fits_any(const FieldTest& test, const Value& value) {
  return std::ranges::any_of(test.any, [&value](const auto& pattern) { return fits_one(value, pattern); });
}

// `json`: the text of a value; empty: the field is absent.
bool fits_json(const FieldTest& test, std::string_view json) {
  if (json.empty()) return fits_any(test, {});
  const bool plain = json.size() >= 2 && json.front() == '"' && json.find('\\') == std::string_view::npos;
  if (plain) return fits_any(test, {Value::Is::kText, false, 0, json.substr(1, json.size() - 2)});
  if (json.front() == '{' || json.front() == '[') return fits_any(test, {Value::Is::kOther});
  const Result<Json> parsed = parse_json(json, "context");
  if (!parsed.ok()) return false;
  if (parsed->is_string()) {
    return fits_any(test, {Value::Is::kText, false, 0, parsed->get_ref<const std::string&>()});
  }
  if (parsed->is_number()) return fits_any(test, {Value::Is::kNumber, false, parsed->get<double>(), {}});
  if (parsed->is_boolean()) return fits_any(test, {Value::Is::kBoolean, parsed->get<bool>()});
  return fits_any(test, {Value::Is::kNull});
}

Status wrong(std::string_view field, std::string_view why) {
  return {Code::kInvalidArgument, "when." + shown_field(field) + ": " + std::string(why)};
}

Status read_part(const Json& json, std::string_view field, FieldPattern& out) {
  out.kind = PatternKind::kPart;
  for (const auto& [key, value] : json.items()) {
    const bool known = key == "starts_with" || key == "ends_with" || key == "contains";
    if (!known || json.size() != 1 || !value.is_string()) break;
    out.starts = key == "starts_with";
    out.ends = key == "ends_with";
    out.text = value.get<std::string>();
    return {};
  }
  return wrong(field, "a pattern is one of {\"starts_with\": text}, {\"ends_with\": text} and {\"contains\": text}");
}

Status read_pattern(const Json& json, std::string_view field, FieldPattern& out) {
  if (json.is_object()) return read_part(json, field, out);
  if (json.is_array()) return wrong(field, "a list of values and patterns must not contain a list");
  if (json.is_string()) {
    out.kind = PatternKind::kText;
    out.text = json.get<std::string>();
  } else if (json.is_number()) {
    out.kind = PatternKind::kNumber;
    out.number = json.get<double>();
  } else if (json.is_boolean()) {
    out.kind = PatternKind::kBoolean;
    out.boolean = json.get<bool>();
  }
  return {};
}

Result<FieldTest> read_test(const std::string& field, const Json& json, const PointInfo& point) {
  FieldTest test;
  test.field = field;
  test.in_context = lists(point.fields, field);
  // The dispatch also knows the values of the point's fields, except a depth, which may be that of a future run.
  const auto* const of = std::ranges::find(kTold, field, [](const auto& one) { return one.first; });
  if (of != kTold.end() && !(test.in_context && of->second == Of::kDepth)) test.of = of->second;
  if (field.starts_with(kTagFields)) {
    test.of = Of::kTag;
    test.field.erase(0, kTagFields.size());
    if (!is_tag_name(test.field)) return wrong(field, "no tag has such a name");
  }
  if (!test.in_context && test.of == Of::kContext) {
    std::string known;
    for (const std::string_view name : point.fields) known += shown_field(name) + ", ";
    return wrong(field,
                 shown_point(point.name) + " has no such field; known: " + known +
                     shown_field("tier, model_id, depth, iteration, session_id, run_id, parent_run_id, tags.<name>"));
  }
  if (!json.is_array()) {
    Status status = read_pattern(json, field, test.any.emplace_back());
    return status.ok() ? Result<FieldTest>(std::move(test)) : status;
  }
  for (const Json& one : json) {
    if (Status status = read_pattern(one, field, test.any.emplace_back()); !status.ok()) return status;
  }
  return test;
}

}  // namespace

Result<Matcher> Matcher::read(std::string_view json, const PointInfo& point) {
  const Result<Json> parsed = parse_json(json, "when");
  if (!parsed.ok()) return parsed.status();
  if (!parsed->is_object()) return Status(Code::kInvalidArgument, "when: not a JSON object");
  Matcher matcher;
  for (const auto& [field, test] : parsed->items()) {
    Result<FieldTest> read = read_test(field, test, point);
    if (!read.ok()) return read.status();
    matcher.tests_.push_back(*std::move(read));
  }
  return matcher;
}

bool Matcher::fails(const Scope& scope, const KnownField* known) const {
  return std::ranges::any_of(tests_, [&](const FieldTest& test) {
    const std::optional<Value> value = known_value(test, scope, known);
    return value && !fits_any(test, *value);
  });
}

bool Matcher::knows_all(const Scope& scope, const KnownField* known) const {
  return std::ranges::all_of(tests_, [&](const auto& test) { return known_value(test, scope, known).has_value(); });
}

void Matcher::add_fields(FieldSet& to) const {
  for (const FieldTest& test : tests_) {
    if (test.in_context) to.add(test.field);
  }
}

bool Matcher::fits(const Scope& scope, std::string_view members) const {
  return std::ranges::all_of(tests_, [&](const FieldTest& test) {
    return known_value(test, scope, nullptr).has_value() || fits_json(test, json_member(members, test.field));
  });
}

}  // namespace lh
