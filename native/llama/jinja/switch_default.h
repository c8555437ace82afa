// Statements at the beginning of a template that give the switch of the generation prompt a default:
// `{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}`.
#pragma once

#include "jinja/runtime.h"

namespace lh {

// The name of the variable that asks for a generation prompt.
inline constexpr const char* kGenerationSwitch = "add_generation_prompt";

// True if the statement prints nothing, sets no other variable, and reads only the switch and constants such as `true`.
[[nodiscard]] bool gives_default(const jinja::statement_ptr& statement);

// Tells `visit` each node of a statement.
template <typename Visit>
void each_node(const jinja::statement& statement, const Visit& visit) {
  jinja::context context;
  context.visitor = [&](bool, const jinja::statement* node, const std::vector<jinja::visitor_pair>& children) {
    visit(*node);
    for (const auto& [label, nodes] : children) {
      for (const jinja::statement* child : nodes) {
        if (child != nullptr) child->visit(context);
      }
    }
  };
  statement.visit(context);
}

// True if the statement, or one in it, sets the name of a constant.
[[nodiscard]] bool sets_constant(const jinja::statement& statement);

}  // namespace lh
