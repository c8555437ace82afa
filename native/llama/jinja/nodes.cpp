#include "llama/jinja/nodes.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "llama/jinja/changes.h"
#include "llama/jinja/variables.h"

namespace lh {
namespace {

using jinja::cast_stmt;
using jinja::is_stmt;
using jinja::is_val;
using jinja::mk_val;
using jinja::value;

value text_value(const std::string& text) { return mk_val<jinja::value_string>(text); }

// A function that the value has by this name, with the value as its input.
value function_of(const value& object, const std::string& name) {
  const jinja::func_builtins& functions = object->get_builtins();
  const auto found = functions.find(name);
  return found == functions.end() ? value() : mk_val<jinja::value_func>(name, found->second, object);
}

value function_or_undefined(const value& object, const std::string& name) {
  value function = function_of(object, name);
  return function ? function : mk_val<jinja::value_undefined>(name);
}

value nothing() { return mk_val<jinja::value_undefined>("object_property"); }

// The member of an object; null if it has none. `name`: a text of one part.
const value* member_of(const jinja::value_object_t& object, const value& name) {
  constexpr size_t kFew = 12;
  const std::string& text = name->val_str.parts.front().val;
  bool plain = object.val_obj.size() <= kFew;
  if (plain) {
    for (const auto& [key, member] : object.val_obj) {
      const auto& parts = key->val_str.parts;
      if (parts.size() == 1 && parts.front().val == text) return &member;
      plain = plain && parts.size() == 1;
    }
  }
  if (plain) return nullptr;
  const auto found = object.unordered.find(name);
  return found == object.unordered.end() ? nullptr : &found->second;
}

value member_of_object(const value& object, const value& name) {
  value found = nothing();
  if (is_val<jinja::value_string>(name) && name->val_str.parts.size() == 1) {
    if (const value* member = member_of(static_cast<const jinja::value_object_t&>(*object), name)) found = *member;
  } else {
    value missing = found;
    found = object->at(name, missing);
  }
  return found->is_undefined() ? function_or_undefined(object, name->as_string().str()) : found;
}

value computed_member(const value& object, const value& name) {
  if (name->is_undefined()) return nothing();
  if (!name->is_hashable()) throw std::runtime_error("Type: " + name->type() + " is not allowed as object key");
  if (object->is_undefined()) return nothing();
  if (is_val<jinja::value_object>(object)) return member_of_object(object, name);
  const bool list = is_val<jinja::value_array>(object);
  if (list || is_val<jinja::value_string>(object)) {
    if (is_val<jinja::value_int>(name)) {
      int64_t index = name->as_int();
      if (list) {
        value missing = nothing();
        return object->at(index, missing);
      }
      const std::string text = object->as_string().str();
      if (index < 0 || index >= static_cast<int64_t>(text.size())) return nothing();
      return text_value(std::string(1, text[static_cast<size_t>(index)]));
    }
    if (is_val<jinja::value_string>(name)) return function_or_undefined(object, name->as_string().str());
    throw std::runtime_error("Cannot access property with non-string/non-number: got " + name->type());
  }
  if (!is_val<jinja::value_string>(name)) {
    throw std::runtime_error("Cannot access property with non-string: got " + name->type());
  }
  return function_or_undefined(object, name->as_string().str());
}

// A function hides a member of the same name.
value named_member(const value& object, const value& name) {
  const std::string& text = name->val_str.parts.front().val;
  if (value function = function_of(object, text)) return function;
  if (object->is_undefined()) return nothing();
  if (is_val<jinja::value_object>(object)) {
    const value* found = member_of(static_cast<const jinja::value_object_t&>(*object), name);
    if (found != nullptr && !(*found)->is_undefined()) return *found;
  }
  return mk_val<jinja::value_undefined>(text);
}

const value& truth(bool holds) {
  static const auto* const both = new std::array<value, 2>{mk_val<jinja::value_bool>(false),
                                                           mk_val<jinja::value_bool>(true)};
  return (*both)[holds ? 1 : 0];
}

// `left in right`, whose operands have run.
bool is_in(const value& left, const value& right, const std::string& op, jinja::context& scope) {
  if (right->is_undefined()) return false;
  if (left->is_undefined()) throw std::runtime_error("Cannot perform operation " + op + " on undefined values");
  if (right->is_none()) throw std::runtime_error("Cannot perform operation on null values");
  const auto number = [](const value& one) { return is_val<jinja::value_int>(one) || is_val<jinja::value_float>(one); };
  const bool list = is_val<jinja::value_array>(right);
  const bool texts = is_val<jinja::value_string>(left) && is_val<jinja::value_string>(right);
  const bool known = list ? !is_val<jinja::value_array>(left) : texts || is_val<jinja::value_object>(right);
  if (!left->is_none() && (!known || (number(left) && number(right)))) {
    throw std::runtime_error("Unknown operator \"" + op + "\" between " + left->type() + " and " + right->type());
  }
  jinja::func_args given(scope);
  given.push_back(left);
  given.push_back(right);
  return jinja::global_builtins().at("test_is_in")(given)->as_bool();
}

}  // namespace

void add_text(const value& printed, jinja::value_string& text) {
  if (is_val<jinja::value_string>(printed)) {
    text->val_str.append(printed->val_str);
  } else {
    jinja::gather_string_parts_recursive(printed, text);
  }
}

Known<jinja::string_literal>::Known(const jinja::string_literal& node, const NodeContext&)
    : made(text_value(node.val)) {}

Known<jinja::integer_literal>::Known(const jinja::integer_literal& node, const NodeContext&)
    : made(mk_val<jinja::value_int>(node.val)) {}

Known<jinja::binary_expression>::Known(const jinja::binary_expression& node, const NodeContext&) {
  static constexpr std::array<std::pair<std::string_view, Operator>, 6> kOperators = {
      {{"and", Operator::kAnd}, {"or", Operator::kOr}, {"==", Operator::kEqual},
       {"!=", Operator::kUnequal}, {"in", Operator::kIn}, {"not in", Operator::kNotIn}}};
  for (const auto& [name, known] : kOperators) {
    if (node.op.value == name) op = known;
  }
}

Known<jinja::identifier>::Known(const jinja::identifier& node, const NodeContext&) : name(text_value(node.val)) {}

Known<jinja::member_expression>::Known(const jinja::member_expression& node, const NodeContext&) {
  const auto* property = node.computed ? nullptr : cast_stmt<jinja::identifier>(node.property);
  if (property != nullptr) name = text_value(property->val);
}

Known<jinja::filter_expression>::Known(const jinja::filter_expression& node, const NodeContext&) {
  const auto* filter = cast_stmt<jinja::identifier>(node.filter);
  if (const auto* call = cast_stmt<jinja::call_expression>(node.filter)) {
    filter = cast_stmt<jinja::identifier>(call->callee);
    arguments = &call->args;
  }
  if (filter == nullptr) return;
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOtherNames = {
      {{"count", "length"}, {"d", "default"}, {"e", "escape"}, {"trim", "strip"}}};
  static constexpr std::array<std::string_view, 7> kOfTexts = {"capitalize", "lower", "replace",  "strip",
                                                               "title",      "upper", "wordcount"};
  const auto other = std::ranges::find(kOtherNames, filter->val, &std::pair<std::string_view, std::string_view>::first);
  name = other == kOtherNames.end() ? filter->val : std::string(other->second);
  wants_text = arguments == nullptr && std::ranges::find(kOfTexts, name) != kOfTexts.end();
}

jinja::value run_node(const jinja::identifier& node, const Known<jinja::identifier>& known, jinja::context& scope) {
  if (scope.is_get_stats) return node.jinja::identifier::execute_impl(scope);
  const auto& variables = variables_of(scope)->unordered;
  const auto found = variables.find(known.name);
  if (found != variables.end()) {
    note_read(found->second);
    if (!found->second->is_undefined()) return found->second;
  }
  const jinja::func_builtins& functions = jinja::global_builtins();
  const auto function = functions.find(node.val);
  if (function != functions.end()) return mk_val<jinja::value_func>(node.val, function->second);
  return mk_val<jinja::value_undefined>(node.val);
}

jinja::value run_node(const jinja::member_expression& node, const Known<jinja::member_expression>& known,
                      jinja::context& scope) {
  const bool computed = node.computed && !is_stmt<jinja::slice_expression>(node.property);
  if (scope.is_get_stats || !(known.name || computed)) return node.jinja::member_expression::execute_impl(scope);
  const value object = node.object->execute(scope);
  return known.name ? named_member(object, known.name) : computed_member(object, node.property->execute(scope));
}

jinja::value run_node(const jinja::filter_expression& node, const Known<jinja::filter_expression>& known,
                      jinja::context& scope) {
  if (scope.is_get_stats || known.name.empty()) return node.jinja::filter_expression::execute_impl(scope);
  value input = node.operand->execute(scope);
  jinja::func_args given(scope);
  given.func_name = known.name;
  if (known.wants_text && !input->is_undefined() && !is_val<jinja::value_string>(input)) {
    input = mk_val<jinja::value_string>(input->as_string());
  }
  given.push_back(input);
  if (known.arguments != nullptr) {
    for (const jinja::statement_ptr& argument : *known.arguments) given.push_back(argument->execute(scope));
  }
  const jinja::func_builtins& functions = input->get_builtins();
  const auto function = functions.find(known.name);
  if (function == functions.end()) {
    throw std::runtime_error("Unknown (built-in) filter '" + known.name + "' for type " + input->type());
  }
  return function->second(given);
}

jinja::value run_node(const jinja::string_literal& node, const Known<jinja::string_literal>& known,
                      jinja::context& scope) {
  return scope.is_get_stats ? node.jinja::string_literal::execute_impl(scope) : known.made;
}

jinja::value run_node(const jinja::integer_literal& node, const Known<jinja::integer_literal>& known,
                      jinja::context& scope) {
  return scope.is_get_stats ? node.jinja::integer_literal::execute_impl(scope) : known.made;
}

jinja::value run_node(const jinja::binary_expression& node, const Known<jinja::binary_expression>& known,
                      jinja::context& scope) {
  using Operator = Known<jinja::binary_expression>::Operator;
  if (scope.is_get_stats || known.op == Operator::kOther) return node.jinja::binary_expression::execute_impl(scope);
  value left = node.left->execute(scope);
  if (known.op == Operator::kAnd) return left->as_bool() ? node.right->execute(scope) : left;
  if (known.op == Operator::kOr) return left->as_bool() ? left : node.right->execute(scope);
  const value right = node.right->execute(scope);
  if (known.op == Operator::kEqual) return truth(*left == *right);
  if (known.op == Operator::kUnequal) return truth(!(*left == *right));
  return truth(is_in(left, right, node.op.value, scope) == (known.op == Operator::kIn));
}

jinja::value run_node(const jinja::unary_expression& node, const Known<jinja::unary_expression>&,
                      jinja::context& scope) {
  if (scope.is_get_stats || node.op.value != "not") return node.jinja::unary_expression::execute_impl(scope);
  return truth(!node.argument->execute(scope)->as_bool());
}

jinja::value run_node(const jinja::if_statement& node, const Known<jinja::if_statement>&, jinja::context& scope) {
  const bool holds = node.test->execute(scope)->as_bool();
  auto text = mk_val<jinja::value_string>();
  for (const jinja::statement_ptr& statement : holds ? node.body : node.alternate) {
    add_text(statement->execute(scope), text);
  }
  return text;
}

jinja::value run_node(const jinja::set_statement& node, const Known<jinja::set_statement>&, jinja::context& scope) {
  ++changes().all;
  return node.jinja::set_statement::execute_impl(scope);
}

jinja::value run_node(const jinja::macro_statement& node, const Known<jinja::macro_statement>&,
                      jinja::context& scope) {
  ++changes().all;
  return node.jinja::macro_statement::execute_impl(scope);
}

}  // namespace lh
