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

// A text that is to be added to the conversation; Transcript has the text once it is added.
struct PendingText {
  Origin origin = Origin::kHook;
  std::string text;
};

struct PendingRequests {
  std::optional<std::string> accepted;    // summary of a completion that hooks accepted
  std::optional<std::string> rejected;    // why hooks rejected a completion
  std::optional<std::string> completion;  // summary of a completion by a directive, which is still to be verified
  std::optional<Stop> stop;
  std::optional<std::string> tier;
  std::optional<std::string> phase;
  std::vector<PendingText> texts;                            // said after the results
  std::vector<std::pair<std::string, std::string>> anchors;  // texts by key; said after the results
  std::vector<ToolRecord> records;                           // of tool calls that were steps of a plan
};

}  // namespace lh
