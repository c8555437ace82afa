// The interface through which a batch of tool calls hands on the directives that tools returned beside their results.
#pragma once

#include <string>

#include "agent/run/tool_record.h"
#include "agent/setup/tool.h"

namespace lh {

class DirectiveHandler {
 public:
  virtual ~DirectiveHandler() = default;
  // Performs the directives of one result in order and returns the text for the model that belongs beside the result.
  // Directives that wait for the other results are added to run.pending. `ran`: the tool that gave the result; null: no
  // tool ran.
  [[nodiscard]] virtual std::string carry_out(const ToolRecord& record, const AgentTool* ran) = 0;
};

}  // namespace lh
