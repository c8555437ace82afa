// Ids of messages, to which a session can be rewound.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "model/conversation.h"

namespace lh {

// A copy with a new id, said now.
[[nodiscard]] MessagePtr with_id(const Message& message);
// Gives an id to each message that has none.
[[nodiscard]] Messages with_ids(const Messages& messages);

// Returns messages of a caller that are to follow `among`. An id of a message or of a tool call that is taken already
// becomes a new one.
[[nodiscard]] Messages with_own_ids(const Messages& given, const Messages& among);

// Identifies messages that a hook gave without ids: a message that equals one of `among` becomes that one; the others
// get an id, and those with role user get the origin of a hook.
[[nodiscard]] Messages recognised(const Messages& given, const Messages& among);

// The messages up to that one, inclusive; all calls among them have their results. Nothing: the message does not exist.
// Errors: kInvalidArgument if it is within the calls of a message and their results.
[[nodiscard]] Result<std::optional<Messages>> up_to(const Messages& messages, const std::string& id);

}  // namespace lh
