// Parses a model's output with libllama-common's parser for the model's template.
// Must not: let an exception of llama.cpp escape.
#pragma once

#include <memory>
#include <vector>

#include "chat.h"
#include "model/generator.h"

namespace lh {

// A format in which all output is content.
std::unique_ptr<OutputFormat> make_plain_format();

// The answer format that `params` describes. `tools`: those that the model may call.
std::unique_ptr<OutputFormat> make_chat_format(const common_chat_params& params,
                                               const std::vector<common_chat_tool>& tools);

}  // namespace lh
