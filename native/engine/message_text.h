// Text out of messages, and messages out of text.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "inference/generator.h"

namespace lh {

// The contents of all messages of a role, a line each; those of tools with the tool's name in front.
std::string joined_contents(const Json& messages, std::string_view role);

// Text that no model wrote: only declared tool calls in it are parsed, all else is content.
ParsedOutput parse_foreign(const Prompt& prompt, const std::string& text);

}  // namespace lh
