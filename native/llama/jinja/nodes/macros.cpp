#include <cstdint>
#include <stdexcept>
#include <vector>

#include "llama/jinja/nodes/changes.h"
#include "llama/jinja/nodes/nodes.h"
#include "llama/jinja/nodes/recorder.h"
#include "llama/jinja/nodes/variables.h"

namespace lh {
namespace {

using jinja::cast_stmt;
using jinja::mk_val;
using Value = jinja::value;

// The values of a macro's parameters. Those that are not given have defaults, which are found where it is called.
std::vector<Value> arguments_of(const jinja::macro_statement& node, const Known<jinja::macro_statement>& known,
                                const jinja::func_args& given) {
  const std::string& macro = known.name->val_str.parts.front().val;
  std::vector<Value> values;
  for (size_t i = 0; i < node.args.size(); ++i) {
    const auto* named = cast_stmt<jinja::keyword_argument_expression>(node.args[i]);
    const bool is_given = i < given.count();
    if (named == nullptr && !is_given) throw std::runtime_error("Not enough arguments provided to '" + macro + "'");
    if (!known.parameters[i]) {
      throw std::runtime_error(named == nullptr ? "Invalid parameter type in '" + macro + "'"
                                                : "Keyword argument key must be an identifier in '" + macro + "'");
    }
    const std::string& name = known.parameters[i]->val_str.parts.front().val;
    values.push_back(is_given ? given.get_kwarg_or_pos(name, i) : named->val->execute(given.ctx));
  }
  return values;
}

}  // namespace

Known<jinja::macro_statement>::Known(const jinja::macro_statement& node, const NodeContext& context) {
  const auto name_of = [&context](const jinja::statement_ptr& given) {
    const auto* one = cast_stmt<jinja::identifier>(given);
    return one == nullptr ? Value() : context.names->set_by_program(one->val);
  };
  name = name_of(node.name);
  sign = std::to_string(reinterpret_cast<uintptr_t>(this));
  for (const jinja::statement_ptr& parameter : node.args) {
    const auto* named = cast_stmt<jinja::keyword_argument_expression>(parameter);
    parameters.push_back(name_of(named == nullptr ? parameter : named->key));
  }
}

jinja::value run_node(const jinja::macro_statement& node, const Known<jinja::macro_statement>& known,
                      jinja::context& scope) {
  if (scope.is_get_stats || !known.name) return node.jinja::macro_statement::execute_impl(scope);
  ++changes().all;
  const std::string& name = known.name->val_str.parts.front().val;
  const jinja::func_handler call = [&node, &known](const jinja::func_args& given) {
    const std::vector<Value> values = arguments_of(node, known, given);
    const InnerScope inner(given.ctx);
    for (size_t i = 0; i < values.size(); ++i) set_variable(given.ctx, known.parameters[i], values[i]);
    return text_of(node.body, given.ctx);
  };
  Value macro = mk_val<jinja::value_func>(name, call);
  macro->stats.ops.insert(known.sign);
  set_variable(scope, known.name, macro);
  if (Recorder* const recorder = Recorder::current()) recorder->set(scope, known.name);
  return mk_val<jinja::value_undefined>();
}

}  // namespace lh
