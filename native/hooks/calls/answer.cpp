#include "hooks/calls/answer.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/json/json_member.h"
#include "base/text/names.h"
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

// `field`: by the name that messages use.
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
  for (const auto& [field, schema] : properties.items()) taken += (taken.empty() ? "" : ", ") + shown_field(field);
  return std::string(why) + (taken.empty() ? "; it takes none" : "; it takes " + taken);
}

// The text of the field that the hook was shown; empty: it was not shown.
std::string_view shown_text(const AnswerFrame& frame, std::string_view field) {
  if (field == "meta") return frame.meta;
  return frame.hook.spec().fields.has(field) ? json_member(frame.members, field) : std::string_view();
}

Result<Change> read_text(const AnswerFrame& frame, std::string_view text) {
  const std::string field(frame.point.text_field);
  if (!is_utf8(text)) return bad_answer(shown_field(field), "the answer is not UTF-8");
  Change change;
  if (is_json_string(shown_text(frame, field), text)) return change;
  change.fields.push_back(field);
  change.context[field] = std::string(text);
  return change;
}

// True if the value equals what the hook was shown.
bool repeats(std::string_view shown, const Json& value) {
  if (shown.empty()) return false;
  if (value.is_string()) return is_json_string(shown, value.get_ref<const std::string&>());
  const Result<Json> parsed = parse_json(shown, "context");
  return parsed.ok() && same_json(*parsed, value);
}

// Faults that the TypeScript facade found with the answer, before JSON left it out.
constexpr const char* kFlaw = "$flaw";

// Reads the fields of an answer object. A wrong field is left out.
class FieldReader {
 public:
  explicit FieldReader(const AnswerFrame& frame)
      : frame_(frame),
        schema_(answer_schema(frame.point)),
        properties_(schema_.contains("properties") ? schema_["properties"] : schema_) {}

  Result<Change> read(Json& answer) {
    if (const auto flaw = answer.find(kFlaw); flaw != answer.end() && flaw->is_string()) {
      flaw_ = bad_answer({}, flaw->get<std::string>());
      answer.erase(flaw);
    }
    for (auto& [field, value] : answer.items()) {
      const std::string_view shown = shown_text(frame_, field);
      if (repeats(shown, value)) continue;
      const Status wrong = check(field, value, !shown.empty() || lists(frame_.point.fields, field));
      const bool may_refuse = lists(frame_.point.vetoes, field);
      if (wrong.ok()) {
        refuses_ = refuses_ || (may_refuse && value != "allow" && value != false);
        add(field, std::move(value));
      } else {
        if (flaw_.ok()) flaw_ = wrong;
        wrong_.push_back(field);
        const bool refuses = may_refuse && !properties_[field].contains("enum") && !value.is_null() && value != false;
        refuses_ = refuses_ || refuses;
        if (refuses) add(field, flaw_.message());
      }
    }
    if (flaw_.ok()) return std::move(change_);
    if (!refuses_) return flaw_;
    return refusal();
  }

 private:
  [[nodiscard]] Status check(const std::string& field, const Json& value, bool was_shown) const {
    const bool known = properties_.contains(field);
    if (!known && !lists(frame_.point.mutable_fields, field)) {
      return bad_answer(shown_field(field), not_taken(was_shown, properties_));
    }
    const auto offence = known ? check_value(value, properties_[field], Keys::kOfContract) : std::nullopt;
    if (!offence) return {};
    const bool joined = offence->path.empty() || offence->path.front() == '[';
    return bad_answer(shown_field(field) + (joined ? "" : ".") + offence->path, offence->why);
  }

  // No half of a wrong answer counts, but for the refusal and its reason.
  Change refusal() {
    if (std::ranges::find(wrong_, "reason") != wrong_.end()) add("reason", flaw_.message());
    Change kept;
    for (const std::string& field : change_.fields) {
      if (field != "reason" && !lists(frame_.point.vetoes, field)) continue;
      kept.fields.push_back(field);
      const bool of_context = lists(frame_.point.mutable_fields, field);
      (of_context ? kept.context : kept.answers)[field] = (of_context ? change_.context : change_.answers)[field];
    }
    kept.flaw = flaw_.message();
    return kept;
  }

  void add(const std::string& field, Json value) {
    change_.fields.push_back(field);
    (lists(frame_.point.mutable_fields, field) ? change_.context : change_.answers)[field] = std::move(value);
  }

  const AnswerFrame& frame_;
  const Json& schema_;
  const Json& properties_;
  Change change_;
  Status flaw_;  // the first
  std::vector<std::string> wrong_;
  bool refuses_ = false;
};

Result<Change> read_object(const AnswerFrame& frame, std::string_view text) {
  Result<Json> parsed = parse_json(text, "the answer");
  if (!parsed.ok()) return bad_answer({}, parsed.status().message());
  if (!parsed->is_object()) {
    return bad_answer({}, std::string("the answer is not a JSON object but ") + parsed->type_name());
  }
  return FieldReader(frame).read(*parsed);
}

}  // namespace

Result<Change> read_answer(const AnswerFrame& frame, std::string_view text) {
  const bool plain = !frame.point.text_field.empty() && !frame.hook.is(LH_HOOK_JSON_RESULT);
  return plain ? read_text(frame, text) : read_object(frame, text);
}

}  // namespace lh
