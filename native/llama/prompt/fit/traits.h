// Traits of conversations that some chat templates cannot render.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "chat.h"

namespace lh {

using ChatMessages = std::vector<common_chat_msg>;

// Sorted in the order of folding: the result of a fold may have the traits that follow.
enum class Trait : uint8_t {
  kCalls,              // calls and results
  kStrayResult,        // a result with no message of calls before it
  kInterrupted,        // something else between the results of a message
  kNoResult,           // a call without a result, with messages behind it
  kCallLast,           // a call at the end
  kNestedArguments,    // an argument of a call that is a list, an object or null
  kSeveralCalls,       // several calls in a message
  kTwoSystems,         // several system messages at the start
  kSystem,             // a system message at the start
  kSystemAnswered,     // the same, where the last message is not the user's
  kLaterSystem,        // a system message behind others
  kNoUser,             // no message of the user
  kAssistantFirst,     // begins with the assistant, apart from a system message
  kUserAfterResult,    // the user speaks where the assistant would answer to a result
  kEqualRoles,         // two messages of the user, or of the assistant, in a row
  kAssistantLast,      // a text of the assistant at the end, or with another message of the assistant behind it
  kThoughtBesideText,  // a text with reasoning, without a call
  kThoughtTextCall,    // a text with reasoning and a call
  kTextBesideCall,     // a text with a call
};
inline constexpr size_t kTraits = 19;

// Its name in the description of a model.
[[nodiscard]] std::string_view name_of(Trait trait);

using TraitSet = std::array<bool, kTraits>;
[[nodiscard]] inline bool has(const TraitSet& set, Trait trait) { return set[static_cast<size_t>(trait)]; }

// One pass over the messages.
[[nodiscard]] TraitSet traits_of(const ChatMessages& messages);

[[nodiscard]] inline bool is_system(const common_chat_msg& message) { return message.role == "system"; }
[[nodiscard]] inline bool is_user(const common_chat_msg& message) { return message.role == "user"; }
[[nodiscard]] inline bool is_assistant(const common_chat_msg& message) { return message.role == "assistant"; }
[[nodiscard]] inline bool is_result(const common_chat_msg& message) { return message.role == "tool"; }
[[nodiscard]] inline bool has_calls(const common_chat_msg& message) { return !message.tool_calls.empty(); }

// The calls of messages[at] that none of the results behind it answers, up to the assistant's next message.
[[nodiscard]] std::vector<const common_chat_tool_call*> unanswered(const ChatMessages& messages, size_t at);

}  // namespace lh
