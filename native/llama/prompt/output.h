// What a model wrote, taken apart by libllama-common's parser for the model's template.
// Must not: see tokens, or let an exception of llama.cpp out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chat.h"
#include "model/generator.h"

namespace lh {

// All output is content.
std::unique_ptr<OutputFormat> make_plain_format();

// What `params` says of the answer to its prompt. `tools`: the names of those that the model may call.
std::unique_ptr<OutputFormat> make_chat_format(const common_chat_params& params, std::vector<std::string> tools);

}  // namespace lh
