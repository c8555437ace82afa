#include "llama/prompt/fit/probes.h"

#include <utility>

namespace lh {
namespace {

constexpr const char* kTool = "lookup";

// Words that no template has.
std::string word(const char* kind, int number) { return std::string("Qv") + kind + std::to_string(number); }

common_chat_msg said(const char* role, std::string text) {
  common_chat_msg message;
  message.role = role;
  message.content = std::move(text);
  return message;
}

common_chat_msg system_of(int number) { return said("system", word("system", number)); }
common_chat_msg user_of(int number) { return said("user", word("user", number)); }
common_chat_msg assistant_of(int number) { return said("assistant", word("assistant", number)); }

std::string id_of(int number) { return "Qv000000" + std::to_string(number); }

common_chat_tool_call call_of(int number) {
  return {kTool, "{\"key\": \"" + word("argument", number) + "\"}", id_of(number)};
}

common_chat_msg calling(common_chat_msg message, int from, int to) {
  for (int i = from; i <= to; ++i) message.tool_calls.push_back(call_of(i));
  return message;
}

common_chat_msg calls_of(int from, int to) { return calling(said("assistant", ""), from, to); }

common_chat_msg result_of(int number) {
  common_chat_msg message = said("tool", word("result", number));
  message.tool_name = kTool;
  message.tool_call_id = id_of(number);
  return message;
}

common_chat_msg thinking(common_chat_msg message) {
  message.reasoning_content = word("thought", 1);
  return message;
}

// All texts are wanted, except reasoning.
Probe wanting_all(ChatMessages messages) {
  Probe probe{std::move(messages), {}, {}};
  for (const common_chat_msg& message : probe.messages) {
    if (!message.content.empty()) probe.words.push_back(message.content);
    for (const common_chat_tool_call& call : message.tool_calls) {
      probe.words.push_back(word("argument", call.id.back() - '0'));
    }
  }
  return probe;
}

Probe with_thought(ChatMessages messages) {
  Probe probe = wanting_all(std::move(messages));
  probe.thought = word("thought", 1);
  return probe;
}

}  // namespace

std::vector<Probe> probes_of(Trait trait) {
  switch (trait) {
    case Trait::kCalls: return {wanting_all({user_of(1), calls_of(1, 1), result_of(1), assistant_of(1), user_of(2)})};
    case Trait::kStrayResult: return {wanting_all({user_of(1), result_of(1)}), wanting_all({result_of(1), user_of(1)})};
    case Trait::kInterrupted:
      return {wanting_all({user_of(1), calls_of(1, 2), result_of(1), user_of(2), result_of(2)}),
              wanting_all({user_of(1), calls_of(1, 2), result_of(1), system_of(1), result_of(2)})};
    case Trait::kNoResult:
      return {wanting_all({user_of(1), calls_of(1, 1), user_of(2)}),
              wanting_all({user_of(1), calls_of(1, 2), result_of(2), user_of(2)})};
    case Trait::kCallLast: return {wanting_all({user_of(1), calls_of(1, 1)})};
    case Trait::kNestedArguments: {
      Probe probe = wanting_all({user_of(1), calls_of(1, 1), result_of(1)});
      probe.messages[1].tool_calls[0].arguments =
          R"({"key": {"name": [")" + word("argument", 1) + R"(", ")" + word("argument", 2) + R"("]}})";
      return {probe};
    }
    case Trait::kSeveralCalls:
      return {wanting_all({user_of(1), calls_of(1, 2), result_of(1), result_of(2), assistant_of(1), user_of(2)})};
    case Trait::kTwoSystems: return {wanting_all({system_of(1), system_of(2), user_of(1)})};
    case Trait::kSystem: return {wanting_all({system_of(1), user_of(1)})};
    case Trait::kSystemAnswered:
      return {wanting_all({system_of(1), user_of(1), calls_of(1, 1), result_of(1)}),
              wanting_all({system_of(1), user_of(1), assistant_of(1)})};
    case Trait::kLaterSystem:
      return {wanting_all({system_of(1), user_of(1), assistant_of(1), system_of(2), user_of(2)}),
              wanting_all({user_of(1), system_of(1)})};
    case Trait::kNoUser:
      return {wanting_all({system_of(1)}), wanting_all({system_of(1), calls_of(1, 1), result_of(1)})};
    case Trait::kAssistantFirst:
      return {wanting_all({assistant_of(1), user_of(1)}), wanting_all({system_of(1), assistant_of(1), user_of(1)})};
    case Trait::kUserAfterResult:
      return {wanting_all({user_of(1), calls_of(1, 1), result_of(1), user_of(2), assistant_of(1), user_of(3)})};
    case Trait::kEqualRoles:
      return {wanting_all({user_of(1), user_of(2), assistant_of(1), assistant_of(2), user_of(3)})};
    case Trait::kAssistantLast: {
      Probe probe = wanting_all({user_of(1), assistant_of(1)});
      probe.turn = true;
      return {probe};
    }
    case Trait::kThoughtBesideText:
      return {wanting_all({user_of(1), thinking(assistant_of(1)), user_of(2)}),
              wanting_all({user_of(1), thinking(assistant_of(1))})};
    case Trait::kThoughtTextCall:
      return {with_thought({user_of(1), thinking(calling(assistant_of(1), 1, 1)), result_of(1)}),
              wanting_all(
                  {user_of(1), thinking(calling(assistant_of(1), 1, 1)), result_of(1), assistant_of(2), user_of(2)})};
    case Trait::kTextBesideCall:
      return {wanting_all({user_of(1), calling(assistant_of(1), 1, 1), result_of(1)}),
              wanting_all({user_of(1), calling(assistant_of(1), 1, 1), result_of(1), assistant_of(2), user_of(2)})};
  }
  return {};
}

Probe probe_of_reasoning() { return {{user_of(1), thinking(calls_of(1, 1)), result_of(1)}, {word("thought", 1)}, {}}; }

ChatMessages probe_of_turn() { return {user_of(1)}; }

common_chat_tool probe_tool() {
  return {kTool, "Looks something up.",
          R"({"type":"object","properties":{"key":{"type":"string","description":"A key."}},"required":["key"]})"};
}

}  // namespace lh
