#include "hooks/points/field_set.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/json/json_member.h"
#include "base/text/names.h"

namespace lh {
namespace {

Status wrong_fields(const std::string& why) { return {Code::kInvalidArgument, "fields: " + why}; }

Status no_such_field(std::string_view name, const PointInfo& point) {
  std::string known;
  for (const std::string_view field : point.fields) known += (known.empty() ? "" : ", ") + shown_field(field);
  return wrong_fields(shown_point(point.name) + " has no field " + dump_json(shown_field(name)) + "; known: " + known);
}

}  // namespace

FieldSet FieldSet::none() {
  FieldSet set;
  set.all_ = false;
  return set;
}

Result<FieldSet> FieldSet::read(std::string_view json, const PointInfo& point) {
  const Result<Json> parsed = parse_json(json, "fields");
  if (!parsed.ok()) return parsed.status();
  if (!parsed->is_array()) return wrong_fields("not a JSON array of names");
  FieldSet set = none();
  for (const Json& name : *parsed) {
    if (!name.is_string()) return wrong_fields("not a JSON array of names");
    const auto& text = name.get_ref<const std::string&>();
    if (text == "meta") continue;
    const auto known = std::ranges::find(point.fields, text);
    if (known == point.fields.end()) return no_such_field(text, point);
    set.add(*known);  // of the table, which lives forever
  }
  return set;
}

void FieldSet::add(std::string_view field) {
  if (!has(field)) names_.push_back(field);
}

void FieldSet::add(const FieldSet& more) {
  all_ = all_ || more.all_;
  for (const std::string_view field : more.names_) add(field);
}

std::string FieldSet::cut(std::string_view members) const {
  std::string out;
  each_json_member(members, [&](std::string_view name, std::string_view value) {
    if (!std::ranges::any_of(names_, [&](std::string_view one) { return is_json_string(name, one); })) return true;
    if (!out.empty()) out += ',';
    out += name;
    out += ':';
    out += value;
    return true;
  });
  return out + "}";
}

Json FieldSet::to_json() const { return all_ ? Json() : Json(names_); }

}  // namespace lh
