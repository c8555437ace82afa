// The limits of templates. They grow with what is rendered; docs/internals/adr/0026-templates-run-within-a-budget.md
// has the figures that they come from.
#pragma once

#include "chat.h"
#include "llama/jinja/nodes/budget.h"

namespace lh {

// For llama.cpp's analysis of a template as it is loaded, which renders some short conversations.
[[nodiscard]] TemplateLimits limits_to_make();

// For all renderings of one prompt.
[[nodiscard]] TemplateLimits limits_to_render(const common_chat_templates_inputs& inputs);

}  // namespace lh
