// The interface through which a batch of tool calls reaches the control tools: `complete`, `delegate`, `plan` etc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/run/tool_record.h"
#include "agent/setup/control_tool_table.h"

namespace lh {

// The outcome of a call of a control tool.
struct OwnToolAnswer {
  ResultKind kind = ResultKind::kOk;
  std::string text;               // for the model
  std::string by;                 // the hook that refused the call; empty: none
  std::optional<Json> args = {};  // the arguments, if hooks changed them during the call

  [[nodiscard]] bool succeeded() const { return kind == ResultKind::kOk || kind == ResultKind::kOkEmpty; }
};

class OwnTools {
 public:
  virtual ~OwnTools() = default;
  // Completes the arguments of a call before hooks and rules judge it. Invalid arguments stay as they are.
  virtual void complete_args(ControlTool tool, ToolCall& call) = 0;
  // Performs a call. The arguments are valid for the tool's schema. `records`: the records of the calls of the same
  // message that have ended.
  [[nodiscard]] virtual OwnToolAnswer carry_out(ControlTool tool, const ToolCall& call,
                                                const std::vector<ToolRecord>& records) = 0;
};

}  // namespace lh
