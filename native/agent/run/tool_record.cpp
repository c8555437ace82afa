#include "agent/run/tool_record.h"

#include <utility>

namespace lh {

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

ResultKind result_kind_of(std::string_view name) {
  for (int kind = 0; kind <= static_cast<int>(ResultKind::kDelegationFailed); ++kind) {
    if (name == result_kind_name(static_cast<ResultKind>(kind))) return static_cast<ResultKind>(kind);
  }
  return ResultKind::kError;
}

void settle(ToolRecord& record, ResultKind kind, std::string told, std::string by) {
  record.kind = kind;
  record.is_error = kind != ResultKind::kOk && kind != ResultKind::kOkEmpty;
  record.result = std::move(told);
  record.decided_by = std::move(by);
}

void settle_answer(ToolRecord& record, std::string text, std::string by) {
  const ResultKind kind = text.empty() ? ResultKind::kOkEmpty : ResultKind::kOk;
  settle(record, kind, std::move(text), std::move(by));
}

Json to_json(const ToolRecord& record) {
  Json json = {{"id", record.call.id},
               {"name", record.call.name},
               {"args", record.call.args},
               {"result", record.result},
               {"result_kind", result_kind_name(record.kind)},
               {"is_error", record.is_error},
               {"elapsed_ms", record.elapsed_ms},
               {"decided_by", record.decided_by.empty() ? Json() : Json(record.decided_by)}};
  if (record.parts != nullptr) json["parts"] = *record.parts;
  if (record.cause_id != 0) json["cause_id"] = record.cause_id;
  return json;
}

}  // namespace lh
