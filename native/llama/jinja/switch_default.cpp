#include "llama/jinja/switch_default.h"

#include <algorithm>

#include "llama/jinja/nodes/names.h"

namespace lh {
namespace {

using jinja::cast_stmt;

// True if the expression reads only the switch and constants.
bool reads_switch_alone(const jinja::statement_ptr& node) {
  if (const auto* name = cast_stmt<jinja::identifier>(node)) {
    return name->val == kGenerationSwitch || is_constant(name->val);
  }
  if (const auto* test = cast_stmt<jinja::test_expression>(node)) {
    return reads_switch_alone(test->operand) && (is_named(test->test, "defined") || is_named(test->test, "undefined"));
  }
  if (const auto* unary = cast_stmt<jinja::unary_expression>(node)) return reads_switch_alone(unary->argument);
  if (const auto* both = cast_stmt<jinja::binary_expression>(node)) {
    return reads_switch_alone(both->left) && reads_switch_alone(both->right);
  }
  const auto* filter = cast_stmt<jinja::filter_expression>(node);
  const auto* call = filter == nullptr ? nullptr : cast_stmt<jinja::call_expression>(filter->filter);
  return call != nullptr && is_named(call->callee, "default") && reads_switch_alone(filter->operand) &&
         std::ranges::all_of(call->args, reads_switch_alone);
}

bool is_constant_name(const jinja::statement_ptr& node) {
  const auto* name = cast_stmt<jinja::identifier>(node);
  if (name != nullptr) return is_constant(name->val);
  const auto* several = cast_stmt<jinja::tuple_literal>(node);
  return several != nullptr && std::ranges::any_of(several->val, is_constant_name);
}

}  // namespace

bool gives_default(const jinja::statement_ptr& statement) {
  if (cast_stmt<jinja::noop_statement>(statement) != nullptr) return true;
  if (const auto* set = cast_stmt<jinja::set_statement>(statement)) {
    return set->val && is_named(set->assignee, kGenerationSwitch) && reads_switch_alone(set->val);
  }
  const auto* either = cast_stmt<jinja::if_statement>(statement);
  return either != nullptr && reads_switch_alone(either->test) && std::ranges::all_of(either->body, gives_default) &&
         std::ranges::all_of(either->alternate, gives_default);
}

bool sets_constant(const jinja::statement& statement) {
  bool sets = false;
  each_node(statement, [&](const jinja::statement& node) {
    const auto* set = dynamic_cast<const jinja::set_statement*>(&node);
    const auto* loop = dynamic_cast<const jinja::for_statement*>(&node);
    sets = sets || (set != nullptr && is_constant_name(set->assignee)) ||
           (loop != nullptr && is_constant_name(loop->loopvar));
  });
  return sets;
}

}  // namespace lh
