// The messages that follow from a model's answer: the answer itself, and a result for each tool call that does not run.
// The caller decides which calls run.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/conversation.h"

namespace lh {

// The contents of all messages of a role, one per line; those of tools begin with the tool's name.
std::string joined_contents(const Messages& messages, Role role);

[[nodiscard]] std::string new_call_id();

// Makes the calls of an answer those of a message: each without an id, or with one that is taken, gets a unique one.
void number_calls(std::vector<ToolCall>& calls, std::set<std::string> taken = {});

MessagePtr answer_message(std::string content, std::string reasoning, std::vector<ToolCall> calls);
MessagePtr user_message(std::string content);
MessagePtr result_message(ToolResult result);
// Returns the same message, with the same id and another text.
[[nodiscard]] MessagePtr with_content(const Message& message, std::string content);

// Adds a result with the text `why` for each call, so that every call has a result.
void append_refusals(Messages& messages, const std::vector<ToolCall>& calls, std::string_view why);

}  // namespace lh
