// A chat template of a model file or a caller: parsed, and rendered with and without tools, for a prompt and an answer.
#include "fuzz/fuzz.h"
#include "llama/prompt/chat_prompt.h"

namespace lh::fuzz {
namespace {

std::shared_ptr<Message> message(Role role, std::string content) {
  auto made = std::make_shared<Message>();
  made->role = role;
  made->content = std::move(content);
  return made;
}

// One message of each kind, with a tool call and its result.
Messages conversation() {
  auto asks = message(Role::kAssistant, "I look.");
  asks->reasoning = "The user wants the weather.";
  asks->tool_calls.push_back({"call_1", "weather", Json{{"city", "Oslo"}}});
  auto result = message(Role::kTool, R"({"temp_c": 4})");
  result->tool_call_id = "call_1";
  result->tool_name = "weather";
  return {message(Role::kSystem, "Be brief."),        message(Role::kUser, "Weather?"), asks, result,
          message(Role::kAssistant, "Four degrees."), message(Role::kUser, "Thanks.")};
}

}  // namespace

void fuzz_template(std::string_view input) {
  const auto chat = LlamaChat::create(vocabulary_model(), std::string(input), 1 << 20);
  if (!chat.ok()) return;
  static const Messages all = conversation();
  static const Messages one = {message(Role::kUser, "Weather?")};
  static const Tools tools = {std::make_shared<Tool>(Tool{
      "weather", "Tells the weather.", Json::parse(R"({"type":"object","properties":{"city":{"type":"string"}}})")})};
  for (const bool offered : {false, true}) {
    PromptRequest request;
    request.messages = offered ? &all : &one;
    request.tools = offered ? &tools : nullptr;
    static_cast<void>((*chat)->prepare(request, SamplingParams()));
  }
}

}  // namespace lh::fuzz
