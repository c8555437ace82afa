#include "llama/jinja/limits.h"

namespace lh {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;
constexpr TemplateLimits kToMake = {1'000'000, 32 * kMebibyte};
constexpr TemplateLimits kToRender = {2'000'000, 32 * kMebibyte};  // and for what is rendered:
constexpr uint64_t kStepsPerByte = 40;
constexpr uint64_t kStepsPerPair = 256;  // of messages: some templates go through all messages for each of them
constexpr uint64_t kBytesPerByte = 64;
constexpr uint64_t kObjectBytes = 256;  // of a message, a call or a tool, without its texts

}  // namespace

TemplateLimits limits_to_make() { return kToMake; }

TemplateLimits limits_to_render(const common_chat_templates_inputs& inputs) {
  uint64_t bytes = inputs.json_schema.size();
  for (const common_chat_msg& message : inputs.messages) {
    bytes += kObjectBytes + message.content.size() + message.reasoning_content.size();
    for (const common_chat_tool_call& call : message.tool_calls) bytes += kObjectBytes + call.arguments.size();
  }
  for (const common_chat_tool& tool : inputs.tools) {
    bytes += kObjectBytes + tool.description.size() + tool.parameters.size();
  }
  for (const auto& [name, value] : inputs.chat_template_kwargs) bytes += kObjectBytes + value.size();
  const uint64_t pairs = uint64_t{inputs.messages.size()} * inputs.messages.size();
  return {kToRender.steps + kStepsPerByte * bytes + kStepsPerPair * pairs, kToRender.bytes + kBytesPerByte * bytes};
}

}  // namespace lh
