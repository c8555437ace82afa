#include "agent/tool_record.h"

#include <cmath>
#include <map>

namespace lh {
namespace {

// Objects with the same members are the same arguments, in whatever order a model writes them.
Json sorted(const Json& value) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& item : value) out.push_back(sorted(item));
    return out;
  }
  if (value.is_number_float()) {  // 1.0 is 1
    constexpr double kExact = 9007199254740992.0;
    const auto number = value.get<double>();
    const bool whole = number >= -kExact && number <= kExact && number == std::trunc(number);
    return whole ? Json(static_cast<int64_t>(number)) : value;
  }
  if (!value.is_object()) return value;
  std::map<std::string, Json> members;
  for (const auto& [name, item] : value.items()) members.emplace(name, sorted(item));
  Json out = Json::object();
  for (auto& [name, item] : members) out[name] = std::move(item);
  return out;
}

}  // namespace

std::string_view result_kind_name(ResultKind kind) {
  switch (kind) {
    case ResultKind::kOk: return "ok";
    case ResultKind::kOkEmpty: return "ok_empty";
    case ResultKind::kError: return "error";
    case ResultKind::kRejectedHook: return "rejected_hook";
    case ResultKind::kRejectedSchema: return "rejected_schema";
    case ResultKind::kRejectedPermission: return "rejected_permission";
    case ResultKind::kRejectedDuplicate: return "rejected_duplicate";
    case ResultKind::kRejectedLimit: return "rejected_limit";
    case ResultKind::kTimeout: return "timeout";
    case ResultKind::kCancelled: return "cancelled";
    case ResultKind::kDelegationFailed: return "delegation_failed";
  }
  return "error";
}

std::string call_key(const ToolCall& call) { return call.name + '\n' + dump_json(sorted(call.args)); }

Json to_json(const ToolRecord& record) {
  Json json = {{"id", record.call.id},
               {"name", record.call.name},
               {"args", record.call.args},
               {"result", record.result},
               {"result_kind", result_kind_name(record.kind)},
               {"is_error", record.is_error},
               {"elapsed_ms", record.elapsed_ms},
               {"decided_by", record.decided_by.empty() ? Json() : Json(record.decided_by)}};
  if (record.cause_id != 0) json["cause_id"] = record.cause_id;
  return json;
}

}  // namespace lh
