#include "llama/prompt/fit/folds.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/text/white_space.h"

namespace lh {
namespace {

constexpr int kCallsAsText = 1;    // ways of Trait::kCalls are sums
constexpr int kResultsOfUser = 2;  // of these

common_chat_msg message_of(const char* role, std::string content) {
  common_chat_msg made;
  made.role = role;
  made.content = std::move(content);
  return made;
}

void join_texts(std::string& text, const std::string& more) {
  if (!text.empty() && !more.empty()) text += "\n\n";
  text += more;
}

common_chat_msg user_result(const common_chat_msg& result) { return message_of("user", result_text(result)); }

void fold_calls(int way, CallSpelling spelling, ChatMessages& messages) {
  for (common_chat_msg& message : messages) {
    if ((way & kCallsAsText) != 0 && has_calls(message)) {
      join_texts(message.content, calls_text(message.tool_calls, spelling));
      message.tool_calls.clear();
    }
    if ((way & kResultsOfUser) != 0 && is_result(message)) message = user_result(message);
  }
}

void fold_stray_results(ChatMessages& messages) {
  bool called = false;
  for (common_chat_msg& message : messages) {
    if (is_assistant(message)) called = has_calls(message);
    if (is_result(message) && !called) message = user_result(message);
  }
}

// Results before everything else between two messages of the assistant.
void gather_results(ChatMessages& messages) {
  for (auto at = messages.begin(); at != messages.end(); ++at) {
    if (!has_calls(*at)) continue;
    std::stable_partition(std::next(at), std::find_if(std::next(at), messages.end(), is_assistant), is_result);
  }
}

void add_results(bool last, ChatMessages& messages) {
  for (size_t i = 0; i < messages.size(); ++i) {
    if (!has_calls(messages[i])) continue;
    ChatMessages added;
    for (const common_chat_tool_call* call : unanswered(messages, i)) {
      common_chat_msg& result = added.emplace_back(message_of("tool", ""));
      result.tool_name = call->name;
      result.tool_call_id = call->id;
    }
    size_t end = i + 1;
    while (end < messages.size() && is_result(messages[end])) ++end;
    if ((end == messages.size()) == last) {
      messages.insert(messages.begin() + static_cast<std::ptrdiff_t>(end), added.begin(), added.end());
    }
  }
}

// Templates that print arguments as they are expect Python's form of them, which llama.cpp prints of texts and numbers.
void print_arguments(ChatMessages& messages) {
  for (common_chat_msg& message : messages) {
    for (common_chat_tool_call& call : message.tool_calls) call.arguments = printed_arguments(call.arguments);
  }
}

// Splits a message of several calls: one message for each call, followed by its result.
void split_calls(ChatMessages& messages) {
  ChatMessages split;
  for (size_t i = 0; i < messages.size();) {
    common_chat_msg message = std::move(messages[i++]);
    if (message.tool_calls.size() < 2) {
      split.push_back(std::move(message));
      continue;
    }
    ChatMessages results;
    while (i < messages.size() && is_result(messages[i])) results.push_back(std::move(messages[i++]));
    const std::vector<common_chat_tool_call> calls = std::exchange(message.tool_calls, {});
    for (const common_chat_tool_call& call : calls) {
      message.tool_calls = {call};
      split.push_back(std::exchange(message, message_of("assistant", "")));
      const auto result = std::ranges::find(results, call.id, &common_chat_msg::tool_call_id);
      if (result == results.end()) continue;
      split.push_back(std::move(*result));
      results.erase(result);
    }
    std::ranges::move(results, std::back_inserter(split));
  }
  messages = std::move(split);
}

void join_systems(ChatMessages& messages) {
  const auto end = std::ranges::find_if_not(messages, is_system);
  for (auto at = std::next(messages.begin()); at < end; ++at) join_texts(messages.front().content, at->content);
  messages.erase(std::next(messages.begin()), end);
}

// Writes the system message into the user's last turn, as templates do that omit it here, so that the answer to that
// turn does not change the text before it.
void system_into_last_turn(ChatMessages& messages) {
  const auto before = std::prev(messages.rend());  // the system message
  const auto last = std::find_if(messages.rbegin(), before, is_user);
  if (last == before) {
    messages.front().role = "user";
    return;
  }
  const auto in_turn = [](const common_chat_msg& message) { return is_user(message) || is_system(message); };
  common_chat_msg& turn = *std::prev(std::find_if_not(last, before, in_turn));
  std::string text = std::move(messages.front().content);
  join_texts(text, turn.content);
  turn.content = std::move(text);
  messages.erase(messages.begin());
}

void later_systems_of_user(ChatMessages& messages) {
  const auto begin = std::ranges::find_if_not(messages, is_system);
  for (auto at = begin; at != messages.end(); ++at) {
    if (is_system(*at)) at->role = "user";
  }
}

// Adds a user message behind the system messages; if there are no other messages, the last of them becomes it.
void add_user(ChatMessages& messages) {
  const auto begin = std::ranges::find_if_not(messages, is_system);
  if (begin == messages.end() && !messages.empty()) {
    messages.back().role = "user";
  } else {
    messages.insert(begin, message_of("user", ""));
  }
}

void part_user_from_results(bool with_answer, ChatMessages& messages) {
  ChatMessages parted;
  for (common_chat_msg& message : messages) {
    const bool follows = is_user(message) && !parted.empty() && is_result(parted.back());
    if (follows && !with_answer) {
      join_texts(parted.back().content, message.content);
      continue;
    }
    if (follows) parted.push_back(message_of("assistant", ""));
    parted.push_back(std::move(message));
  }
  messages = std::move(parted);
}

void join_equal_roles(ChatMessages& messages) {
  ChatMessages joined;
  for (common_chat_msg& message : messages) {
    if (joined.empty() || joined.back().role != message.role || is_result(message) || is_system(message) ||
        has_calls(joined.back())) {
      joined.push_back(std::move(message));
      continue;
    }
    common_chat_msg& last = joined.back();
    join_texts(last.content, message.content);
    join_texts(last.reasoning_content, message.reasoning_content);
    last.tool_calls = std::move(message.tool_calls);
  }
  messages = std::move(joined);
}

void add_user_behind_assistant(ChatMessages& messages) {
  ChatMessages parted;
  for (common_chat_msg& message : messages) {
    const bool follows = is_assistant(message) && !parted.empty() && is_assistant(parted.back());
    if (follows && !has_calls(parted.back())) parted.push_back(message_of("user", ""));
    parted.push_back(std::move(message));
  }
  if (is_assistant(parted.back()) && !has_calls(parted.back())) parted.push_back(message_of("user", ""));
  messages = std::move(parted);
}

// Ways to part the text from the call, and from the reasoning.
enum class Parting { kText = 1, kTextAndThought, kTextApart, kTextAndThoughtApart, kTextAsThought, kNoThought };

void part_text(Parting how, bool thinks, ChatMessages& messages) {
  ChatMessages parted;
  for (common_chat_msg& message : messages) {
    const bool fits = has_calls(message) && !message.content.empty() && message.reasoning_content.empty() != thinks;
    if (!fits) {
      parted.push_back(std::move(message));
      continue;
    }
    // White space between the end of the reasoning and the call is not text.
    if (only_space(message.content)) {
      message.content.clear();
      parted.push_back(std::move(message));
      continue;
    }
    const bool with_thought = how == Parting::kTextAndThought || how == Parting::kTextAndThoughtApart;
    const bool apart = how == Parting::kTextApart || how == Parting::kTextAndThoughtApart;
    if (how == Parting::kTextAsThought) {
      join_texts(message.reasoning_content, std::exchange(message.content, {}));
    } else if (how == Parting::kNoThought) {
      message.reasoning_content.clear();
    } else {
      common_chat_msg& before = parted.emplace_back(message_of("assistant", std::exchange(message.content, {})));
      if (with_thought) before.reasoning_content = std::exchange(message.reasoning_content, {});
      if (apart) parted.push_back(message_of("user", ""));
    }
    parted.push_back(std::move(message));
  }
  messages = std::move(parted);
}

void drop_thoughts_beside_texts(ChatMessages& messages) {
  for (common_chat_msg& message : messages) {
    if (!has_calls(message) && !message.content.empty()) message.reasoning_content.clear();
  }
}

}  // namespace

int ways_of(Trait trait) {
  switch (trait) {
    case Trait::kCalls: return kCallsAsText + kResultsOfUser;
    case Trait::kUserAfterResult: return 2;
    case Trait::kThoughtTextCall: return 6;
    case Trait::kTextBesideCall: return 3;
    default: return 1;
  }
}

void fold(Trait trait, int way, CallSpelling spelling, ChatMessages& messages) {
  switch (trait) {
    case Trait::kCalls: return fold_calls(way, spelling, messages);
    case Trait::kStrayResult: return fold_stray_results(messages);
    case Trait::kInterrupted: return gather_results(messages);
    case Trait::kNoResult: return add_results(false, messages);
    case Trait::kCallLast: return add_results(true, messages);
    case Trait::kNestedArguments: return print_arguments(messages);
    case Trait::kSeveralCalls: return split_calls(messages);
    case Trait::kTwoSystems: return join_systems(messages);
    case Trait::kSystem: messages.front().role = "user"; return;
    case Trait::kSystemAnswered: return system_into_last_turn(messages);
    case Trait::kLaterSystem: return later_systems_of_user(messages);
    case Trait::kNoUser:
    case Trait::kAssistantFirst: return add_user(messages);
    case Trait::kUserAfterResult: return part_user_from_results(way == 1, messages);
    case Trait::kEqualRoles: return join_equal_roles(messages);
    case Trait::kAssistantLast: return add_user_behind_assistant(messages);
    case Trait::kThoughtBesideText: return drop_thoughts_beside_texts(messages);
    case Trait::kThoughtTextCall: {
      constexpr Parting kWays[] = {Parting::kTextAndThought, Parting::kText,          Parting::kTextAndThoughtApart,
                                   Parting::kTextApart,      Parting::kTextAsThought, Parting::kNoThought};
      return part_text(kWays[way - 1], true, messages);
    }
    case Trait::kTextBesideCall: {
      constexpr Parting kWays[] = {Parting::kText, Parting::kTextApart, Parting::kTextAsThought};
      return part_text(kWays[way - 1], false, messages);
    }
  }
}

}  // namespace lh
