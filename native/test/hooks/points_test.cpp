// Every point of the table keeps the rules of its kind: proceed, change, cancel, failure.
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "check.h"
#include "hooks/calls/allocator.h"
#include "hooks/dispatch/registry_handle.h"
#include "hooks/points/point_table.h"
#include "hooks/points/value_check.h"

namespace {

using lh::Action;
using lh::HookOutcome;
using lh::Json;
using lh::Kind;
using lh::PointInfo;

struct Scripted {
  int returns = 0;
  std::string answer;
  bool answers = false;
};

int scripted(int32_t, const char* context, char** answer, void* user_data) {
  const auto& script = *static_cast<const Scripted*>(user_data);
  CHECK(lh::parse_json(context, "context").ok());
  if (script.answers) *answer = lh::copy_to_block(script.answer);
  return script.returns;
}

lh::Outcome fire(const PointInfo& point, const Json& context, Scripted script, uint32_t flags = LH_HOOK_JSON_RESULT) {
  lh_registry hooks;
  lh::HookSpec spec;
  spec.point = point.number;
  spec.callback = scripted;
  spec.user_data = &script;
  spec.flags = flags;
  CHECK(hooks.registry.add(spec).ok());
  CHECK(hooks.dispatcher.has(point.number));
  lh::Outcome outcome =
      hooks.dispatcher.fire(point.number, lh::Scope{}, [&](std::string& out) { lh::append_members(out, context); });
  CHECK(outcome->decision.hooks.size() == 1);
  return outcome;
}

// A value that the schema accepts.
Json sample(const Json& schema) {
  if (schema.contains("enum")) return schema["enum"][0];
  const Json& type = schema.contains("type") ? schema["type"] : schema;
  const std::string name = type.is_array() ? type[0].get<std::string>() : type.get<std::string>();
  if (name == "string") return "sample";
  if (name == "boolean") return true;
  if (name == "array") return Json::array({sample(schema["items"])});
  if (name == "integer" || name == "number") return schema.value("minimum", 1);
  Json object = Json::object();
  for (const Json& key : schema.value("required", Json::array())) {
    object[key.get<std::string>()] = sample(schema["properties"][key.get<std::string>()]);
  }
  return object;
}

void proceeds_and_cancels(const PointInfo& point, const Json& context) {
  lh::Outcome outcome = fire(point, context, {});
  CHECK(outcome->decision.action == Action::kProceed && outcome->changes.is_null() && outcome->answers.is_null());
  outcome = fire(point, context, {1, "no", true});
  const bool pre = point.kind == Kind::kPre;
  CHECK((outcome->decision.action == Action::kCancelled) == pre);
  CHECK(!pre || (outcome->decision.reason == "no" && outcome->decision.decided_by->id == 1));
}

// The effect of the answer {field: value}.
void changes(const PointInfo& point, const Json& context, const std::string& field, const Json& value, bool mutable_) {
  const lh::Outcome outcome = fire(point, context, {0, lh::dump_json({{field, value}}), true});
  const std::string what = std::string(point.name) + "." + field + ": " + lh::dump_json(lh::to_json(outcome->decision));
  if (point.kind == Kind::kInfo) {
    CHECK_HAS(what.c_str(), "\"outcome\":\"observed\"");
    CHECK(outcome->changes.is_null() && outcome->answers.is_null());
    return;
  }
  CHECK_HAS(what.c_str(), "\"action\":\"modified\"");
  CHECK(outcome->decision.hooks[0].fields == std::vector<std::string>{field});
  CHECK(named_by(outcome->decision, field) == &outcome->decision.hooks[0]);
  const Json& changed = mutable_ ? outcome->changes : outcome->answers;
  CHECK(changed.contains(field) && changed[field] == value);
  CHECK(lh::with_changes(context, *outcome)["untouched"] == "stays");
}

void takes_what_its_schema_takes(const PointInfo& point, const Json& context) {
  const auto schema = lh::parse_json(point.answer_schema, point.name);
  CHECK(schema.ok());
  for (const auto& [field, rules] : (*schema)["properties"].items()) {
    const bool is_mutable =
        std::find(point.mutable_fields.begin(), point.mutable_fields.end(), field) != point.mutable_fields.end();
    changes(point, context, field, sample(rules), is_mutable);
    const lh::Outcome wrong = fire(point, context, {0, lh::dump_json({{field, Json::array({Json::array()})}}), true});
    // A refusal counts even if other parts of the answer are wrong, and the failure is reported beside it.
    const auto& failure = wrong->decision.hooks[0].failure;
    CHECK((failure && failure->code == lh::Code::kHookBadAnswer) == (point.kind != Kind::kInfo));
  }
  for (const std::string_view field : point.mutable_fields) CHECK((*schema)["properties"].contains(field));
  const lh::Outcome unknown = fire(point, context, {0, R"({"no_such_field":1})", true});
  CHECK((unknown->decision.hooks[0].outcome == HookOutcome::kFailed) == (point.kind != Kind::kInfo));
}

void takes_text_where_it_says_so(const PointInfo& point, const Json& context) {
  const lh::Outcome outcome = fire(point, context, {0, "plain text", true}, 0);
  if (point.kind == Kind::kInfo) return CHECK(outcome->decision.action == Action::kProceed), void();
  if (point.text_field.empty()) {
    CHECK(outcome->decision.hooks[0].failure->code == lh::Code::kHookBadAnswer);
  } else {
    CHECK(outcome->changes[std::string(point.text_field)] == "plain text");
  }
}

void guards_only_where_they_can_cancel(const PointInfo& point) {
  lh::Registry registry;
  lh::HookSpec spec;
  spec.point = point.number;
  spec.callback = scripted;
  spec.flags = LH_HOOK_GUARD;
  CHECK(registry.add(spec).ok() == (point.kind == Kind::kPre));
}

void takes_hooks(const PointInfo& point) {
  lh::Registry registry;
  lh::HookSpec spec;
  spec.point = point.number;
  spec.callback = scripted;
  CHECK(registry.add(spec).ok());
}

}  // namespace

int main() {
  CHECK(lh::parse_json(lh::points_json(), "points")->size() == lh::point_table().size());
  const int64_t before = lh::live_blocks();
  for (const PointInfo& point : lh::point_table()) {
    CHECK(&lh::point_table()[static_cast<size_t>(lh::point_slot(point.number))] == &point);
    const Json context = {{"untouched", "stays"}};
    proceeds_and_cancels(point, context);
    takes_what_its_schema_takes(point, context);
    takes_text_where_it_says_so(point, context);
    guards_only_where_they_can_cancel(point);
    takes_hooks(point);
  }
  CHECK(lh::live_blocks() == before);
  CHECK(lh::points_json().data()[lh::points_json().size()] == '\0');
  return check_result("points_test");
}
