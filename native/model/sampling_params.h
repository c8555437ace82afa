// The sampling parameters of a generation: the "params" of lh_generate.
#pragma once

#include <string>
#include <string_view>

#include "model/parameters.h"

namespace lh {

// The name of `reasoning` in chat templates.
inline constexpr std::string_view kThinkingSwitch = "enable_thinking";

// `what` names the object in the error.
Status check_chat_template_args(const Json& args, const std::string& what);

// Reads "params". The error has the key, the range and the value.
Result<SamplingParams> parse_sampling_params(const Json& params);

}  // namespace lh
