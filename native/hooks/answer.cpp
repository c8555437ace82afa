#include "hooks/answer.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "hooks/schema_check.h"

namespace lh {
namespace {

size_t slot_of(const PointInfo& point) { return static_cast<size_t>(&point - point_table().data()); }

// Parsed at the first answer to the point, and kept.
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

// Per slot, the names that the point table lists as "collected".
std::vector<Json> read_collected() {
  const Result<Json> rows = parse_json(points_json(), "points");
  std::vector<Json> collected(point_table().size(), Json::array());
  if (!rows.ok()) return collected;
  for (size_t slot = 0; slot < collected.size() && slot < (*rows).size(); ++slot) {
    const Json& row = (*rows)[slot];
    if (row.contains("collected")) collected[slot] = row["collected"];
  }
  return collected;
}

Status bad_answer(std::string_view field, std::string_view why) {
  std::string message;
  if (!field.empty()) message += "field \"" + std::string(field) + "\": ";
  message += why;
  return {Code::kHookBadAnswer, std::move(message)};
}

Result<Change> read_text(const AnswerFrame& frame, std::string_view text) {
  const std::string field(frame.point.text_field);
  if (!is_utf8(text)) return bad_answer(field, "the answer is not UTF-8");
  Change change;
  change.fields.push_back(field);
  change.context[field] = std::string(text);
  return change;
}

bool is_mutable(const PointInfo& point, std::string_view field) {
  return std::ranges::find(point.mutable_fields, field) != point.mutable_fields.end();
}

// True if the answer may hold the field because it only repeats what the hook was shown.
bool repeats_context(const AnswerFrame& frame, const std::string& field, const Json& value) {
  if (field == "meta") {
    const Result<Json> meta = parse_json(frame.meta_json, "meta");
    return meta.ok() && same_json(*meta, value);
  }
  const Json& context = frame.context();
  const auto shown = context.find(field);
  return shown != context.end() && same_json(*shown, value);
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
    const bool changes_context = is_mutable(frame.point, field);
    const bool known = changes_context || properties.contains(field);
    if (!changes_context && repeats_context(frame, field, value)) continue;
    if (!known) {
      const bool shown = field == "meta" || frame.context().contains(field);
      return bad_answer(field, shown ? "cannot be changed at this point" : "this point takes no such field");
    }
    if (properties.contains(field)) {
      if (const std::optional<SchemaOffence> offence = check_schema(value, properties[field])) {
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

bool is_collected(const PointInfo& point, std::string_view field) {
  static const std::vector<Json> collected = read_collected();
  return std::ranges::find(collected[slot_of(point)], field) != collected[slot_of(point)].end();
}

}  // namespace lh
