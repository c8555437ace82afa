#include "llama/jinja/nodes.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "llama/jinja/variables.h"

namespace lh {
namespace {

using jinja::cast_stmt;
using jinja::is_stmt;
using jinja::is_val;
using jinja::mk_val;
using jinja::value;

constexpr std::array<std::string_view, 9> kLoopMembers = {"index", "index0", "revindex", "revindex0", "first",
                                                          "last",  "length", "previtem", "nextitem"};

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

value member_of_object(const value& object, const value& name, const value& otherwise) {
  value missing = otherwise;
  const value found = object->at(name, missing);
  return found->is_undefined() ? function_or_undefined(object, name->as_string().str()) : found;
}

value computed_member(const value& object, const value& name) {
  if (name->is_undefined()) return nothing();
  if (!name->is_hashable()) throw std::runtime_error("Type: " + name->type() + " is not allowed as object key");
  if (object->is_undefined()) return nothing();
  if (is_val<jinja::value_object>(object)) return member_of_object(object, name, nothing());
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
    value missing = nothing();
    value found = object->at(name, missing);
    if (!found->is_undefined()) return found;
  }
  return mk_val<jinja::value_undefined>(text);
}

void gather(const value& printed, jinja::value_string& text) {
  if (is_val<jinja::value_string>(printed)) {
    text->val_str.append(printed->val_str);
  } else {
    jinja::gather_string_parts_recursive(printed, text);
  }
}

// The items of a loop, as it goes through them.
std::vector<value> items_of(const value& through) {
  if (through->is_undefined()) return {};
  if (is_val<jinja::value_array>(through)) return through->as_array();
  if (!is_val<jinja::value_object>(through)) {
    throw std::runtime_error("Expected iterable or object type in for loop: got " + through->type());
  }
  std::vector<value> items;
  for (const auto& member : through->as_ordered_object()) items.push_back(mk_val<jinja::value_tuple>(member));
  return items;
}

// The variables of a loop: one name for each item, or several for the members of each.
class LoopVariables {
 public:
  LoopVariables(const jinja::statement_ptr& names, bool keys) : keys_(keys) {
    if (const auto* one = cast_stmt<jinja::identifier>(names)) {
      names_.push_back(text_value(one->val));
      return;
    }
    several_ = cast_stmt<jinja::tuple_literal>(names);
    if (several_ == nullptr) return;
    for (const jinja::statement_ptr& name : several_->val) {
      const auto* one = cast_stmt<jinja::identifier>(name);
      names_.push_back(one == nullptr ? value() : text_value(one->val));
    }
  }

  // As llama.cpp does before the first iteration.
  void check(const value& item, const jinja::statement_ptr& names) const {
    if (several_ == nullptr) {
      if (names_.empty()) throw std::runtime_error("Invalid loop variable(s): " + names->type());
      return;
    }
    if (!is_val<jinja::value_array>(item)) {
      throw std::runtime_error("Cannot unpack non-iterable type: " + item->type());
    }
    const size_t members = item->as_array().size();
    if (names_.size() == members) return;
    throw std::runtime_error(std::string("Too ") + (names_.size() > members ? "few" : "many") + " items to unpack");
  }

  // The item as the next iteration sees it in `loop`.
  [[nodiscard]] value shown(const value& item) const {
    return several_ == nullptr && keys_ ? item->as_array()[0] : item;
  }

  void set(jinja::context& scope, const value& item) const {
    if (several_ == nullptr) return set_variable(scope, names_[0], shown(item));
    const std::vector<value>& members = item->as_array();
    for (size_t i = 0; i < names_.size(); ++i) {
      if (!names_[i]) throw std::runtime_error("Cannot unpack non-identifier type: " + several_->val[i]->type());
      set_variable(scope, names_[i], members[i]);
    }
  }

 private:
  const bool keys_;
  const jinja::tuple_literal* several_ = nullptr;
  std::vector<value> names_;
};

const std::array<value, kLoopMembers.size()>& loop_names() {
  static const auto* const names = [] {
    auto* made = new std::array<value, kLoopMembers.size()>;  // never destroyed: threads may outlive static teardown
    for (size_t i = 0; i < made->size(); ++i) (*made)[i] = text_value(std::string(kLoopMembers[i]));
    return made;
  }();
  return *names;
}

const value& loop_name() {
  static const auto* const name = new value(text_value("loop"));
  return *name;
}

value loop_value(uint32_t read, const std::vector<value>& items, size_t i) {
  const auto number = [](size_t n) { return mk_val<jinja::value_int>(static_cast<int64_t>(n)); };
  const auto member = [&](size_t which) -> value {
    switch (which) {
      case 0: return number(i + 1);
      case 1: return number(i);
      case 2: return number(items.size() - i);
      case 3: return number(items.size() - i - 1);
      case 4: return mk_val<jinja::value_bool>(i == 0);
      case 5: return mk_val<jinja::value_bool>(i + 1 == items.size());
      case 6: return number(items.size());
      case 7: return i > 0 ? items[i - 1] : mk_val<jinja::value_undefined>("previtem");
      default: return i + 1 < items.size() ? items[i + 1] : mk_val<jinja::value_undefined>("nextitem");
    }
  };
  auto loop = mk_val<jinja::value_object>();
  loop->has_builtins = false;
  for (size_t which = 0; which < kLoopMembers.size(); ++which) {
    if ((read >> which & 1U) != 0) loop->insert(loop_names()[which], member(which));
  }
  return loop;
}

}  // namespace

void LoopMembers::add(const std::string& name) {
  const auto found = std::ranges::find(kLoopMembers, name);
  if (found != kLoopMembers.end()) read |= 1U << (found - kLoopMembers.begin());
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

Known<jinja::for_statement>::Known(const jinja::for_statement&, const NodeContext& context) : loop(context.loop) {}

jinja::value run_node(const jinja::identifier& node, const Known<jinja::identifier>& known, jinja::context& scope) {
  if (scope.is_get_stats) return node.jinja::identifier::execute_impl(scope);
  const auto& variables = variables_of(scope)->unordered;
  const auto found = variables.find(known.name);
  if (found != variables.end() && !found->second->is_undefined()) return found->second;
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

jinja::value run_node(const jinja::for_statement& node, const Known<jinja::for_statement>& known,
                      jinja::context& scope) {
  if (scope.is_get_stats) return node.jinja::for_statement::execute_impl(scope);
  auto text = mk_val<jinja::value_string>();
  bool iterated = false;
  {
    const InnerScope inner(scope);
    const auto* select = cast_stmt<jinja::select_expression>(node.iterable);
    const value through = (select == nullptr ? node.iterable : select->lhs)->execute(scope);
    std::vector<value> items = items_of(through);
    const LoopVariables variables(node.loopvar, is_val<jinja::value_object>(through));
    const auto keeps = [&](const value& item) {
      variables.check(item, node.loopvar);
      if (select == nullptr) return true;
      const InnerScope test(scope);
      variables.set(scope, item);
      return select->test->execute(scope)->as_bool();
    };
    std::erase_if(items, [&](const value& item) { return !keeps(item); });
    std::vector<value> shown;
    if (known.loop->read != 0) {
      for (const value& item : items) shown.push_back(variables.shown(item));
    }
    for (size_t i = 0; i < items.size(); ++i) {
      if (known.loop->read != 0) set_variable(scope, loop_name(), loop_value(known.loop->read, shown, i));
      variables.set(scope, items[i]);
      try {
        for (const jinja::statement_ptr& statement : node.body) gather(statement->execute(scope), text);
      } catch (const jinja::continue_statement::signal&) {
        continue;
      } catch (const jinja::break_statement::signal&) {
        break;
      }
      iterated = true;
    }
  }
  if (!iterated) {
    for (const jinja::statement_ptr& statement : node.default_block) gather(statement->execute(scope), text);
  }
  return text;
}

}  // namespace lh
