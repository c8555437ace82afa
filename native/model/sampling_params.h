// How a generation samples: the "params" of lh_generate. Must not: know llama.cpp.
#pragma once

#include <string>
#include <string_view>

#include "model/parameters.h"

namespace lh {

// The chat templates' own name for `reasoning`.
inline constexpr std::string_view kThinkingSwitch = "enable_thinking";

// `what` names the object in the error.
Status check_chat_template_args(const Json& args, const std::string& what);

// Reads "params"; the error names the key, the range and what was got.
Result<SamplingParams> parse_sampling_params(const Json& params);

}  // namespace lh
