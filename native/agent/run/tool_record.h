// The record of a tool call and its result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "model/conversation.h"

namespace lh {

enum class ResultKind : uint8_t {
  kOk,
  kOkEmpty,
  kError,
  kRejectedHook,
  kRejectedSchema,
  kRejectedPermission,
  kRejectedDuplicate,
  kRejectedLimit,
  kTimeout,
  kCancelled,
  kDelegationFailed,
};

[[nodiscard]] std::string_view result_kind_name(ResultKind kind);
// kError for an unknown name.
[[nodiscard]] ResultKind result_kind_of(std::string_view name);

struct ToolRecord {
  ToolCall call;  // as hooks left it
  ResultKind kind = ResultKind::kOk;
  bool is_error = false;
  std::string result;                 // the text for the model
  std::shared_ptr<const Json> parts;  // that its tool gave for the caller: an array; null: none
  double elapsed_ms = 0;
  Json directives;         // that its tool gave: an array, or null
  std::string decided_by;  // the hook that refused the call, or answered in the tool's stead; empty: none
  uint64_t cause_id = 0;   // a binding's number for what the tool threw; 0: nothing, or a hook has replaced the result
};

// Gives the record its end, and the text for the model. `by`: the hook that decided so; empty: none did.
void settle(ToolRecord& record, ResultKind kind, std::string told, std::string by = "");
// The same, for a tool that has answered.
void settle_answer(ToolRecord& record, std::string text, std::string by = "");

// A tool record, as engine.h describes it.
[[nodiscard]] Json to_json(const ToolRecord& record);

}  // namespace lh
