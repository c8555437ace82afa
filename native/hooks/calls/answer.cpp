#include "hooks/calls/answer.h"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/json/json_member.h"
#include "base/text/utf8.h"
#include "hooks/points/value_check.h"

namespace lh {
namespace {

size_t slot_of(const PointInfo& point) { return static_cast<size_t>(&point - point_table().data()); }

// Parsed at the point's first answer, then kept.
const Json& answer_schema(const PointInfo& point) {
  struct Cached {
    std::once_flag once;
    Json schema;
  };
  static const auto cache = std::make_unique<Cached[]>(point_table().size());
  Cached& cached = cache[slot_of(point)];
  std::call_once(cached.once, [&] {
    Result<Json> schema = parse_json(point.answer_schema, point.name);
    cached.schema = schema.ok() ? *std::move(schema) : Json::object();
  });
  return cached.schema;
}

Status bad_answer(std::string_view field, std::string_view why) {
  std::string message;
  if (!field.empty()) message += "field \"" + std::string(field) + "\": ";
  message += why;
  return {Code::kHookBadAnswer, std::move(message)};
}

// Why the point does not accept a field.
std::string not_taken(bool was_shown, const Json& properties) {
  const char* why = was_shown ? "cannot be changed at this point" : "this point takes no such field";
  std::string taken;
  for (const auto& [field, schema] : properties.items()) taken += (taken.empty() ? "" : ", ") + field;
  return std::string(why) + (taken.empty() ? "; it takes none" : "; it takes " + taken);
}

Result<Change> read_text(const AnswerFrame& frame, std::string_view text) {
  const std::string field(frame.point.text_field);
  if (!is_utf8(text)) return bad_answer(field, "the answer is not UTF-8");
  Change change;
  if (is_json_string(json_member(frame.members, field), text)) return change;
  change.fields.push_back(field);
  change.context[field] = std::string(text);
  return change;
}

// The text of the field that the hook was shown; empty: it was not shown.
std::string_view shown_text(const AnswerFrame& frame, std::string_view field) {
  return field == "meta" ? frame.meta : json_member(frame.members, field);
}

// True if the value equals what the hook was shown.
bool repeats(std::string_view shown, const Json& value) {
  if (shown.empty()) return false;
  if (value.is_string()) return is_json_string(shown, value.get_ref<const std::string&>());
  const Result<Json> parsed = parse_json(shown, "context");
  return parsed.ok() && same_json(*parsed, value);
}

Result<Change> read_object(const AnswerFrame& frame, std::string_view text) {
  Result<Json> parsed = parse_json(text, "the answer");
  if (!parsed.ok()) return bad_answer({}, parsed.status().message());
  if (!parsed->is_object()) {
    return bad_answer({}, std::string("the answer is not a JSON object but ") + parsed->type_name());
  }
  const Json& schema = answer_schema(frame.point);
  const Json& properties = schema.contains("properties") ? schema["properties"] : schema;
  Change change;
  for (auto& [field, value] : parsed->items()) {
    const std::string_view shown = shown_text(frame, field);
    if (repeats(shown, value)) continue;
    const bool changes_context = lists(frame.point.mutable_fields, field);
    if (!changes_context && !properties.contains(field)) {
      return bad_answer(field, not_taken(!shown.empty(), properties));
    }
    if (properties.contains(field)) {
      if (const std::optional<ValueOffence> offence = check_value(value, properties[field])) {
        const bool joined = offence->path.empty() || offence->path.front() == '[';
        return bad_answer(field + (joined ? "" : ".") + offence->path, offence->why);
      }
    }
    change.fields.push_back(field);
    (changes_context ? change.context : change.answers)[field] = std::move(value);
  }
  return change;
}

}  // namespace

Result<Change> read_answer(const AnswerFrame& frame, std::string_view text) {
  const bool plain = !frame.point.text_field.empty() && !frame.hook.is(LH_HOOK_JSON_RESULT);
  return plain ? read_text(frame, text) : read_object(frame, text);
}

}  // namespace lh
