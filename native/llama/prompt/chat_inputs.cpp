#include "llama/prompt/chat_inputs.h"

#include <algorithm>
#include <string>

#include "base/json/python_json.h"
#include "model/sampling_params.h"

namespace lh {
namespace {

std::string role_name(Role role) {
  switch (role) {
    case Role::kSystem: return "system";
    case Role::kAssistant: return "assistant";
    case Role::kTool: return "tool";
    case Role::kUser: break;
  }
  return "user";
}

common_chat_msg chat_message(const Message& message) {
  common_chat_msg converted;
  converted.role = role_name(message.role);
  converted.content = message.content;
  converted.reasoning_content = message.reasoning;
  converted.tool_name = message.tool_name;
  converted.tool_call_id = message.tool_call_id;
  for (const ToolCall& call : message.tool_calls) {
    converted.tool_calls.push_back({call.name, template_json(call.args), call.id});
  }
  return converted;
}

common_chat_tool chat_tool(const Tool& tool) { return {tool.name, tool.description, template_json(tool.parameters)}; }

common_chat_tool_choice tool_choice(const ToolChoice& choice) {
  if (choice.must_call()) return COMMON_CHAT_TOOL_CHOICE_REQUIRED;
  return choice.may_call() ? COMMON_CHAT_TOOL_CHOICE_AUTO : COMMON_CHAT_TOOL_CHOICE_NONE;
}

// Some templates read the switch from the arguments, not in llama.cpp's way.
void set_switches(const SamplingParams& params, common_chat_templates_inputs& inputs) {
  inputs.enable_thinking = params.reasoning;
  if (!params.chat_template_args) return;
  for (const auto& [name, value] : params.chat_template_args->items()) {
    if (name == kThinkingSwitch) {
      inputs.enable_thinking = inputs.enable_thinking && value.get<bool>();
    } else {
      inputs.chat_template_kwargs[name] = template_json(value);
    }
  }
}

}  // namespace

common_chat_templates_inputs chat_inputs(const PromptRequest& request, const SamplingParams& params) {
  common_chat_templates_inputs inputs;
  inputs.messages.reserve(request.messages->size());
  for (const MessagePtr& message : *request.messages) inputs.messages.push_back(chat_message(*message));
  if (request.tools != nullptr) {
    for (const auto& tool : *request.tools) inputs.tools.push_back(chat_tool(*tool));
  }
  inputs.tool_choice = tool_choice(params.tool_choice);
  inputs.add_generation_prompt = request.add_generation_prompt;
  inputs.reasoning_format = COMMON_REASONING_FORMAT_AUTO;
  set_switches(params, inputs);
  return inputs;
}

FormatKey format_key(const common_chat_templates_inputs& inputs, const SamplingParams& params) {
  FormatKey key;
  key.add(params.strict_schema).add(inputs.add_generation_prompt).add(inputs.enable_thinking);
  key.add(std::to_string(inputs.tool_choice)).add(params.tool_choice.tool);
  key.add(inputs.json_schema);
  key.add(std::to_string(inputs.chat_template_kwargs.size()));
  for (const auto& [name, value] : inputs.chat_template_kwargs) key.add(name).add(value);
  for (const common_chat_tool& tool : inputs.tools) key.add(tool.name).add(tool.description).add(tool.parameters);
  return key;
}

void keep_callable(const ToolChoice& choice, std::vector<common_chat_tool>& tools) {
  if (choice.kind != ToolChoice::Kind::kTool) return;
  std::erase_if(tools, [&choice](const common_chat_tool& tool) { return tool.name != choice.tool; });
}

}  // namespace lh
