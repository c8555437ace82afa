// A request in llama.cpp's form.
#pragma once

#include <vector>

#include "base/status.h"
#include "chat.h"
#include "llama/prompt/formats.h"
#include "model/generator.h"

namespace lh {

// llama.cpp's name for the switches by which templates keep the reasoning of earlier answers.
inline constexpr const char* kPreserveReasoning = "preserve_reasoning";

// The messages, tools and switches of a request for a chat; without the schema of the answer.
common_chat_templates_inputs chat_inputs(const PromptRequest& request, const SamplingParams& params);

// The inputs that determine parser and grammar, except the generation prompt, which is known only after rendering.
FormatKey format_key(const common_chat_templates_inputs& inputs, const SamplingParams& params);

// Removes the tools that the choice excludes.
void keep_callable(const ToolChoice& choice, std::vector<common_chat_tool>& tools);

}  // namespace lh
