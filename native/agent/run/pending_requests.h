// Requests that tools of one message made; the run serves them when all results have arrived.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/run/tool_record.h"
#include "generation/model_call.h"
#include "model/conversation.h"

namespace lh {

struct PendingRequests {
  std::optional<std::string> accepted;    // summary of a completion that hooks accepted
  std::optional<std::string> rejected;    // why hooks rejected a completion
  std::optional<std::string> completion;  // summary of a completion by a directive, which is still to be verified
  std::optional<Stop> stop;
  std::optional<std::string> tier;
  std::optional<std::string> phase;
  Messages messages;                                        // said after the results
  std::vector<std::pair<std::string, MessagePtr>> anchors;  // by key; said after the results
  std::vector<ToolRecord> records;                          // of tool calls that were steps of a plan
};

}  // namespace lh
