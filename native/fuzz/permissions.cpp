// Permission rules and the calls that they judge: {"rules": [...], "tool": name, "args": {...}, "about": {...}, "own":
// true for a control tool}.
#include "agent/permissions/permissions.h"

#include "fuzz/fuzz.h"

namespace lh::fuzz {

void fuzz_permissions(std::string_view input) {
  Result<Json> parsed = parse_json(input, "case");
  if (!parsed.ok() || !parsed->is_object()) return;
  const Result<Permissions> rules = Permissions::read(parsed->value("rules", Json()));
  if (!rules.ok()) return;
  ToolCall call;
  const Json name = parsed->value("tool", Json("tool"));
  if (name.is_string()) call.name = name.get<std::string>();
  call.args = parsed->value("args", Json::object());
  if (!call.args.is_object()) return;
  const Json about = parsed->value("about", Json::object());
  const Json of_engine = parsed->value("own", Json(false));
  const bool own = of_engine.is_boolean() && of_engine.get<bool>();
  const Permissions::Judgement judged = rules->judge(call, about, own);
  // Rules beside others never make an answer milder.
  Result<Permissions> deny = Permissions::read(Json::array({{{"deny", "**"}}}));
  const auto both = judge_all({&*rules, &*deny}, call, about, own);
  require(own || both.permission == Permission::kDeny, "a rule that denies everything denies");
  require(judged.permission == rules->judge(call, about, own).permission, "a judgement can be repeated");
}

}  // namespace lh::fuzz
