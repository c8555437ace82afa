// The limits of templates. They grow with the rendered input; docs/internals/adr/0026-templates-run-within-a-budget.md
// has the figures behind them.
#pragma once

#include "chat.h"
#include "llama/jinja/nodes/budget.h"

namespace lh {

// The limits for llama.cpp's analysis of a template at its load, which renders some short conversations.
[[nodiscard]] TemplateLimits limits_to_make();

// The limits for all renderings of one prompt.
[[nodiscard]] TemplateLimits limits_to_render(const common_chat_templates_inputs& inputs);

}  // namespace lh
