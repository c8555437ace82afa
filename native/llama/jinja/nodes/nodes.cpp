#include "llama/jinja/nodes/nodes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "llama/jinja/nodes/changes.h"
#include "llama/jinja/nodes/recorder.h"
#include "llama/jinja/nodes/variables.h"

namespace lh {
namespace {

using jinja::cast_stmt;
using jinja::is_stmt;
using jinja::is_val;
using jinja::mk_val;
using Value = jinja::value;

// A function that the value has by this name, with the value as its input.
Value function_of(const Value& object, const std::string& name) {
  const jinja::func_builtins& functions = object->get_builtins();
  const auto found = functions.find(name);
  return found == functions.end() ? Value() : mk_val<jinja::value_func>(name, found->second, object);
}

Value function_or_undefined(const Value& object, const std::string& name) {
  Value function = function_of(object, name);
  return function ? function : mk_val<jinja::value_undefined>(name);
}

Value nothing() { return mk_val<jinja::value_undefined>("object_property"); }

// The member of an object; null if it has none. `name`: a text of one part.
const Value* member_of(const jinja::value_object_t& object, const Value& name) {
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

Value member_of_object(const Value& object, const Value& name) {
  Value found = nothing();
  if (is_val<jinja::value_string>(name) && name->val_str.parts.size() == 1) {
    if (const Value* member = member_of(static_cast<const jinja::value_object_t&>(*object), name)) found = *member;
  } else {
    static_cast<void>(name->as_string());  // throws for a keyword argument, as llama.cpp does
    Value missing = found;
    found = object->at(name, missing);
  }
  return found->is_undefined() ? function_or_undefined(object, name->as_string().str()) : found;
}

Value computed_member(const Value& object, const Value& name) {
  if (name->is_undefined()) return nothing();
  if (!name->is_hashable()) throw std::runtime_error("Type: " + name->type() + " is not allowed as object key");
  if (object->is_undefined()) return nothing();
  if (is_val<jinja::value_object>(object)) return member_of_object(object, name);
  const bool list = is_val<jinja::value_array>(object);
  if (list || is_val<jinja::value_string>(object)) {
    if (is_val<jinja::value_int>(name)) {
      int64_t index = name->as_int();
      if (list) {
        ListReach::note(object, index);
        Value missing = nothing();
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
Value named_member(const Value& object, const Value& name) {
  const std::string& text = name->val_str.parts.front().val;
  if (Value function = function_of(object, text)) return function;
  if (object->is_undefined()) return nothing();
  if (is_val<jinja::value_object>(object)) {
    const Value* found = member_of(static_cast<const jinja::value_object_t&>(*object), name);
    if (found != nullptr && !(*found)->is_undefined()) return *found;
  }
  return mk_val<jinja::value_undefined>(text);
}

const Value& truth(bool holds) {
  static const auto* const both =
      new std::array<Value, 2>{mk_val<jinja::value_bool>(false), mk_val<jinja::value_bool>(true)};
  return (*both)[holds ? 1 : 0];
}

// `left in right`, whose operands have run.
bool is_in(const Value& left, const Value& right, const std::string& op, jinja::context& scope) {
  if (right->is_undefined()) return false;
  if (left->is_undefined()) throw std::runtime_error("Cannot perform operation " + op + " on undefined values");
  if (right->is_none()) throw std::runtime_error("Cannot perform operation on null values");
  const auto number = [](const Value& one) { return is_val<jinja::value_int>(one) || is_val<jinja::value_float>(one); };
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

void set_and_note(jinja::context& scope, const Value& name, const Value& given) {
  set_variable(scope, name, given);
  if (Recorder* const recorder = Recorder::current()) recorder->set(scope, name);
}

void set_several(jinja::context& scope, const jinja::tuple_literal& names, const std::vector<Value>& variables,
                 const Value& given) {
  if (!is_val<jinja::value_array>(given)) {
    throw std::runtime_error("Cannot unpack non-iterable type in set: " + given->type());
  }
  const std::vector<Value>& members = given->as_array();
  if (members.size() != names.val.size()) {
    throw std::runtime_error(std::string("Too ") + (names.val.size() > members.size() ? "few" : "many") +
                             " items to unpack in set");
  }
  for (size_t i = 0; i < members.size(); ++i) {
    if (!variables[i]) throw std::runtime_error("Cannot unpack to non-identifier in set: " + names.val[i]->type());
    set_and_note(scope, variables[i], members[i]);
  }
}

// A value as the operand of an expression that llama.cpp runs.
jinja::statement_ptr operand(const Value& held) {
  struct Operand : jinja::expression {
    explicit Operand(Value held) : held_(std::move(held)) {}
    std::string type() const override { return "Operand"; }
    Value execute_impl(jinja::context&) const override { return held_; }
    const Value held_;
  };
  return std::make_unique<Operand>(held);
}

// llama.cpp, too, computes whole numbers as floating-point ones.
Value of_numbers(Known<jinja::binary_expression>::Operator op, double left, double right) {
  using Operator = Known<jinja::binary_expression>::Operator;
  switch (op) {
    case Operator::kLess: return truth(left < right);
    case Operator::kMore: return truth(left > right);
    case Operator::kAtMost: return truth(left <= right);
    case Operator::kAtLeast: return truth(left >= right);
    default: return mk_val<jinja::value_int>(static_cast<int64_t>(left - right));
  }
}

}  // namespace

std::string plain_text_of(const jinja::statements& statements, jinja::context& scope) {
  std::string text;
  for (const jinja::statement_ptr& statement : statements) {
    auto printed = mk_val<jinja::value_string>();
    add_text(statement->execute(scope), printed);
    for (const jinja::string_part& part : printed->val_str.parts) text += part.val;
  }
  return text;
}

Value text_of(const jinja::statements& statements, jinja::context& scope) {
  auto text = mk_val<jinja::value_string>();
  for (const jinja::statement_ptr& statement : statements) add_text(statement->execute(scope), text);
  return text;
}

void add_text(Value printed, jinja::value_string& text) {
  if (!is_val<jinja::value_string>(printed)) return jinja::gather_string_parts_recursive(printed, text);
  auto& parts = text->val_str.parts;
  auto& added = printed->val_str.parts;
  if (printed.use_count() > 1) {
    parts.insert(parts.end(), added.begin(), added.end());
  } else if (parts.empty()) {
    parts = std::move(added);
  } else {
    parts.insert(parts.end(), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
  }
}

Known<jinja::string_literal>::Known(const jinja::string_literal& node, const NodeContext&)
    : made(text_value(node.val)) {}

Known<jinja::integer_literal>::Known(const jinja::integer_literal& node, const NodeContext&)
    : made(mk_val<jinja::value_int>(node.val)) {}

Known<jinja::binary_expression>::Known(const jinja::binary_expression& node, const NodeContext&) {
  static constexpr std::array<std::pair<std::string_view, Operator>, 11> kOperators = {{{"and", Operator::kAnd},
                                                                                        {"or", Operator::kOr},
                                                                                        {"==", Operator::kEqual},
                                                                                        {"!=", Operator::kUnequal},
                                                                                        {"in", Operator::kIn},
                                                                                        {"not in", Operator::kNotIn},
                                                                                        {"-", Operator::kMinus},
                                                                                        {"<", Operator::kLess},
                                                                                        {">", Operator::kMore},
                                                                                        {"<=", Operator::kAtMost},
                                                                                        {">=", Operator::kAtLeast}}};
  for (const auto& [name, known] : kOperators) {
    if (node.op.value == name) op = known;
  }
}

Known<jinja::identifier>::Known(const jinja::identifier& node, const NodeContext& context)
    : name(context.names->of(node.val)) {}

Known<jinja::member_expression>::Known(const jinja::member_expression& node, const NodeContext& context) {
  static constexpr std::array<std::string_view, 5> kAhead = {"revindex", "revindex0", "last", "length", "nextitem"};
  const auto* property = node.computed ? nullptr : cast_stmt<jinja::identifier>(node.property);
  if (property != nullptr) {
    name = text_value(property->val);
    looks_ahead = std::ranges::find(kAhead, property->val) != kAhead.end();
  }
  if (const auto* one = cast_stmt<jinja::identifier>(node.object)) {
    variable = context.names->of(one->val);
    object = repeatable(node.object);
  }
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
  if (const Value* const found = find_variable(scope, known.name)) {
    note_read(*found);
    if (!(*found)->is_undefined()) return *found;
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
  Recorder* const recorder = known.name ? nullptr : Recorder::current();
  if (recorder != nullptr) recorder->claim(known.object);
  const Value object = node.object->execute(scope);
  if (known.looks_ahead) note_ahead(object);
  if (known.name) return named_member(object, known.name);
  const Value name = node.property->execute(scope);
  if (recorder != nullptr && known.object != nullptr)
    recorder->note_member(known.variable, object, name, *known.object);
  return computed_member(object, name);
}

jinja::value run_node(const jinja::filter_expression& node, const Known<jinja::filter_expression>& known,
                      jinja::context& scope) {
  if (scope.is_get_stats || known.name.empty()) return node.jinja::filter_expression::execute_impl(scope);
  Value input = node.operand->execute(scope);
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
  Value left = node.left->execute(scope);
  if (known.op == Operator::kAnd) return left->as_bool() ? node.right->execute(scope) : left;
  if (known.op == Operator::kOr) return left->as_bool() ? left : node.right->execute(scope);
  const Value right = node.right->execute(scope);
  if (known.op == Operator::kEqual) return truth(*left == *right);
  if (known.op == Operator::kUnequal) return truth(!(*left == *right));
  if (known.op == Operator::kIn || known.op == Operator::kNotIn) {
    return truth(is_in(left, right, node.op.value, scope) == (known.op == Operator::kIn));
  }
  if (!is_val<jinja::value_int>(left) || !is_val<jinja::value_int>(right)) {
    return jinja::binary_expression(node.op, operand(left), operand(right)).execute_impl(scope);
  }
  return of_numbers(known.op, left->as_float(), right->as_float());
}

jinja::value run_node(const jinja::unary_expression& node, const Known<jinja::unary_expression>&,
                      jinja::context& scope) {
  if (scope.is_get_stats || node.op.value != "not") return node.jinja::unary_expression::execute_impl(scope);
  return truth(!node.argument->execute(scope)->as_bool());
}

jinja::value run_node(const jinja::if_statement& node, const Known<jinja::if_statement>&, jinja::context& scope) {
  const bool holds = node.test->execute(scope)->as_bool();
  return text_of(holds ? node.body : node.alternate, scope);
}

Known<jinja::set_statement>::Known(const jinja::set_statement& node, const NodeContext& context) {
  if (const auto* one = cast_stmt<jinja::identifier>(node.assignee)) {
    variable = context.names->set_by_program(one->val);
  }
  if (const auto* all = cast_stmt<jinja::tuple_literal>(node.assignee)) {
    for (const jinja::statement_ptr& each : all->val) {
      const auto* one = cast_stmt<jinja::identifier>(each);
      several.push_back(one == nullptr ? Value() : context.names->set_by_program(one->val));
    }
  }
  const auto* target = cast_stmt<jinja::member_expression>(node.assignee);
  if (target == nullptr || target->computed) return;
  if (const auto* property = cast_stmt<jinja::identifier>(target->property)) member = context.names->of(property->val);
  const auto* one = cast_stmt<jinja::identifier>(target->object);
  if (one == nullptr) return;
  object = context.names->of(one->val);
  object_node = repeatable(target->object);
}

jinja::value run_node(const jinja::set_statement& node, const Known<jinja::set_statement>& known,
                      jinja::context& scope) {
  if (scope.is_get_stats) return node.jinja::set_statement::execute_impl(scope);
  ++changes().all;
  const Value given = node.val ? node.val->execute(scope) : text_of(node.body, scope);
  if (known.variable) {
    set_and_note(scope, known.variable, given);
  } else if (const auto* several = cast_stmt<jinja::tuple_literal>(node.assignee)) {
    set_several(scope, *several, known.several, given);
  } else if (known.member) {
    Recorder* const recorder = Recorder::current();
    if (recorder != nullptr) recorder->claim(known.object_node);
    const Value object = cast_stmt<jinja::member_expression>(node.assignee)->object->execute(scope);
    if (!is_val<jinja::value_object>(object)) throw std::runtime_error("Cannot assign to member of non-object");
    if (recorder != nullptr) recorder->set_member(known.object, object, known.member);
    set_member(static_cast<jinja::value_object_t&>(*object), known.member, given);
  } else if (const auto* object = cast_stmt<jinja::member_expression>(node.assignee)) {
    throw std::runtime_error(object->computed ? "Cannot assign to computed member"
                                              : "Cannot assign to member with non-identifier property");
  } else {
    throw std::runtime_error("Invalid LHS inside assignment expression: " + node.assignee->type());
  }
  return mk_val<jinja::value_undefined>();
}

}  // namespace lh
