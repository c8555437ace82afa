#include "llama/jinja/nodes/names.h"

#include <algorithm>
#include <array>

#include "llama/jinja/nodes/variables.h"

namespace lh {

bool is_constant(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kConstants = {"true", "True", "false", "False", "none", "None"};
  return std::ranges::find(kConstants, name) != kConstants.end();
}

bool is_named(const jinja::statement_ptr& node, std::string_view name) {
  const auto* found = jinja::cast_stmt<jinja::identifier>(node);
  return found != nullptr && found->val == name;
}

jinja::value ProgramNames::of(const std::string& name) {
  jinja::value& known = known_[name];
  if (!known) known = text_value(name);
  return known;
}

jinja::value ProgramNames::set_by_program(const std::string& name) {
  sets_constants_ = sets_constants_ || is_constant(name) || name == "loop";
  return of(name);
}

}  // namespace lh
