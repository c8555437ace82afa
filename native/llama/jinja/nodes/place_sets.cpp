#include "llama/jinja/nodes/place_sets.h"

#include <algorithm>
#include <set>
#include <string>

namespace lh {
namespace {

using jinja::cast_stmt;

// True for a sum, difference or product of numbers, `loop.index`, and lengths of variables. Adds these variables.
bool is_number_of_place(const jinja::statement_ptr& node, std::set<std::string>& variables) {
  if (cast_stmt<jinja::integer_literal>(node) != nullptr) return true;
  if (const auto* both = cast_stmt<jinja::binary_expression>(node)) {
    const std::string& op = both->op.value;
    return (op == "+" || op == "-" || op == "*") && is_number_of_place(both->left, variables) &&
           is_number_of_place(both->right, variables);
  }
  if (const auto* filter = cast_stmt<jinja::filter_expression>(node)) {
    const auto* of = cast_stmt<jinja::identifier>(filter->operand);
    if (of == nullptr || (!is_named(filter->filter, "length") && !is_named(filter->filter, "count"))) return false;
    variables.insert(of->val);
    return true;
  }
  return is_loop_index(node);
}

}  // namespace

bool is_loop_index(const jinja::statement_ptr& node) {
  const auto* member = cast_stmt<jinja::member_expression>(node);
  return member != nullptr && !member->computed && is_named(member->object, "loop") &&
         (is_named(member->property, "index") || is_named(member->property, "index0"));
}

std::vector<jinja::value> place_sets(const jinja::for_statement& loop, ProgramNames& names) {
  const auto* item = cast_stmt<jinja::identifier>(loop.loopvar);
  if (item == nullptr || item->val == "loop") return {};
  std::vector<jinja::value> sets;
  std::set<std::string> differ = {item->val, "loop"};  // from item to item
  std::set<std::string> read;
  for (const jinja::statement_ptr& statement : loop.body) {
    const auto* set = cast_stmt<jinja::set_statement>(statement);
    if (set == nullptr || !set->val || !is_number_of_place(set->val, read)) break;
    const auto* name = cast_stmt<jinja::identifier>(set->assignee);
    if (name == nullptr || name->val == "loop") break;
    differ.insert(name->val);
    sets.push_back(names.set_by_program(name->val));
  }
  const bool alike = std::ranges::none_of(read, [&](const std::string& name) { return differ.contains(name); });
  return alike ? sets : std::vector<jinja::value>();
}

}  // namespace lh
