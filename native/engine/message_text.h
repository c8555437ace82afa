// Text out of messages, and messages out of text.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "inference/generator.h"

namespace lh {

// The contents of all messages of a role, a line each; those of tools with the tool's name in front.
std::string joined_contents(const Json& messages, std::string_view role);

// Text that no model wrote, taken apart like a model's. A template that begins every answer with reasoning makes
// reasoning of text without tags: then all of it is content.
ParsedOutput parse_foreign(const Prompt& prompt, const std::string& text);

}  // namespace lh
