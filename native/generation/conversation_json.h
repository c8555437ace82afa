// Converts conversations, tools and usage between types and JSON, and checks their shape.
#pragma once

#include <string>
#include <string_view>

#include "base/json/json.h"
#include "base/status.h"
#include "model/conversation.h"

namespace lh {

// [{"role", "content", "reasoning"?, "tool_calls"?: [{"id"?, "name", "args"}], "tool_call_id"?, "tool_name"?,
// "id"?, "time_ms"?, "origin"?}], at least one. A call without an id gets a unique one, always the same for the same
// conversation. Errors: INVALID_MESSAGES, with the index of the wrong message.
Result<Messages> read_messages(const Json& messages);
// Does the first step of read_messages(): checks and reads, but gives no ids.
Result<Messages> read_messages_as_given(const Json& messages);
// Does the second step: gives ids to the calls that have none.
Messages with_call_ids(Messages messages);

// [{"name", "description"?, "parameters"?: JSON Schema}]; names are unique. Errors: INVALID_ARGUMENT, with the index.
Result<Tools> read_tools(const Json& tools);

Json to_json(const Message& message);
Json to_json(const Messages& messages);
// Writes messages with "id", "time_ms" and "origin", if they have them: for histories and saved sessions. Hooks do not
// see these keys.
Json history_json(const Messages& messages);
Json to_json(const std::vector<ToolCall>& calls);
Json to_json(const Tools& tools);
Json to_json(const Usage& usage);

// Append the text of to_json() without making the value: contexts of hooks have whole conversations.
void append_json(std::string& out, const Messages& messages);
void append_json(std::string& out, const Tools& tools);

std::string_view role_name(Role role);
std::string_view finish_reason_name(FinishReason reason);

}  // namespace lh
