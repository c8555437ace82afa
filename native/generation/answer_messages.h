// The messages that follow from a model's answer: the answer itself, and a result for each tool call that does not run.
// Must not: decide whether a call runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/conversation.h"

namespace lh {

// The contents of all messages of a role, a line each; those of tools with the tool's name in front.
std::string joined_contents(const Messages& messages, Role role);

// Gives the calls that the model left without an id one that no other call ever had.
void number_calls(std::vector<ToolCall>& calls);

MessagePtr answer_message(std::string content, std::string reasoning, std::vector<ToolCall> calls);
MessagePtr user_message(std::string content);
MessagePtr result_message(ToolResult result);

// Adds a result with the text `why` for each call, so that no call is without one.
void append_refusals(Messages& messages, const std::vector<ToolCall>& calls, std::string_view why);

}  // namespace lh
