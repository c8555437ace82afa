#include "llama/prompt/fit/traits.h"

#include <algorithm>

namespace lh {
namespace {

// Passes over the messages behind the calls of a message, up to the assistant's next.
void look_at_results(const ChatMessages& messages, size_t at, TraitSet& found) {
  bool other = false;
  size_t end = at + 1;
  for (; end < messages.size() && !is_assistant(messages[end]); ++end) {
    if (!is_result(messages[end])) {
      other = true;
    } else if (other) {
      found[static_cast<size_t>(Trait::kInterrupted)] = true;
    }
  }
  if (unanswered(messages, at).empty()) return;
  const bool last = end == messages.size() && !other;
  found[static_cast<size_t>(last ? Trait::kCallLast : Trait::kNoResult)] = true;
}

// True if an argument may be a list, an object or null. The function looks for characters in the JSON text only; where
// they are part of a string, the fold changes nothing.
bool may_nest(const common_chat_tool_call& call) {
  const std::string& text = call.arguments;
  return text.find_first_of("[{", 1) != text.npos || text.find("null") != text.npos;
}

}  // namespace

std::string_view name_of(Trait trait) {
  switch (trait) {
    case Trait::kCalls: return "calls";
    case Trait::kStrayResult: return "stray_result";
    case Trait::kInterrupted: return "interrupted_results";
    case Trait::kNoResult: return "call_without_result";
    case Trait::kCallLast: return "call_last";
    case Trait::kNestedArguments: return "nested_arguments";
    case Trait::kSeveralCalls: return "several_calls";
    case Trait::kTwoSystems: return "two_systems";
    case Trait::kSystem: return "system";
    case Trait::kSystemAnswered: return "system_before_result";
    case Trait::kLaterSystem: return "later_system";
    case Trait::kNoUser: return "no_user";
    case Trait::kAssistantFirst: return "assistant_first";
    case Trait::kUserAfterResult: return "user_after_result";
    case Trait::kEqualRoles: return "equal_roles";
    case Trait::kAssistantLast: return "assistant_last";
    case Trait::kThoughtBesideText: return "text_beside_reasoning";
    case Trait::kThoughtTextCall: return "text_beside_reasoning_and_call";
    case Trait::kTextBesideCall: return "text_beside_call";
  }
  return "";
}

std::vector<const common_chat_tool_call*> unanswered(const ChatMessages& messages, size_t at) {
  std::vector<const common_chat_tool_call*> open;
  for (const common_chat_tool_call& call : messages[at].tool_calls) open.push_back(&call);
  for (size_t i = at + 1; i < messages.size() && !is_assistant(messages[i]) && !open.empty(); ++i) {
    if (!is_result(messages[i])) continue;
    const auto answered = std::ranges::find(open, messages[i].tool_call_id, &common_chat_tool_call::id);
    if (answered != open.end()) open.erase(answered);
  }
  return open;
}

TraitSet traits_of(const ChatMessages& messages) {
  TraitSet found{};
  const auto note = [&found](Trait trait) { found[static_cast<size_t>(trait)] = true; };
  bool called = false;    // the assistant's last message has calls
  bool answered = false;  // the message before is a result
  bool user = false;
  for (size_t i = 0; i < messages.size(); ++i) {
    const common_chat_msg& message = messages[i];
    if (is_system(message)) {
      if (i == 0) {
        note(Trait::kSystem);
      } else {
        const bool leads =
            std::ranges::all_of(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(i), is_system);
        note(leads ? Trait::kTwoSystems : Trait::kLaterSystem);
      }
    } else if (is_user(message)) {
      user = true;
      if (answered) note(Trait::kUserAfterResult);
    } else if (is_assistant(message)) {
      called = has_calls(message);
      if (i == 0 || (is_system(messages[i - 1]) && i == 1)) note(Trait::kAssistantFirst);
      const bool text = !message.content.empty();
      const bool thought = !message.reasoning_content.empty();
      if (called) {
        note(Trait::kCalls);
        if (std::ranges::any_of(message.tool_calls, may_nest)) note(Trait::kNestedArguments);
        if (message.tool_calls.size() > 1) note(Trait::kSeveralCalls);
        if (text) note(thought ? Trait::kThoughtTextCall : Trait::kTextBesideCall);
        look_at_results(messages, i, found);
      } else {
        if (text && thought) note(Trait::kThoughtBesideText);
        if (i + 1 == messages.size() || is_assistant(messages[i + 1])) note(Trait::kAssistantLast);
      }
    } else if (is_result(message)) {
      note(Trait::kCalls);
      if (!called) note(Trait::kStrayResult);
    }
    answered = is_result(message);
    if (i > 0 && message.role == messages[i - 1].role && (is_user(message) || is_assistant(message))) {
      note(Trait::kEqualRoles);
    }
  }
  if (!messages.empty() && is_system(messages.front()) && !is_user(messages.back()) && messages.size() > 1) {
    note(Trait::kSystemAnswered);
  }
  if (!user) note(Trait::kNoUser);
  return found;
}

}  // namespace lh
