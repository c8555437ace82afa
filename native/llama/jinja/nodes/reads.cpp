#include "llama/jinja/nodes/reads.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "llama/jinja/nodes/names.h"

namespace lh {
namespace {

using jinja::cast_stmt;

constexpr std::array<std::string_view, 4> kPlaces = {"index", "index0", "first", "previtem"};

template <typename T>
const T* node_as(const jinja::statement& node) {
  return dynamic_cast<const T*>(&node);
}

class NamesReader {
 public:
  NamesReader(Reads& found, ProgramNames& names) : found_(found), names_(names) {}

  // False: the expression is not repeatable.
  bool read(const jinja::statement& node) {
    if (node_as<jinja::string_literal>(node) || node_as<jinja::integer_literal>(node) ||
        node_as<jinja::float_literal>(node)) {
      return true;
    }
    if (const auto* name = node_as<jinja::identifier>(node)) return add(name->val);
    if (const auto* member = node_as<jinja::member_expression>(node)) return read_member(*member);
    if (const auto* binary = node_as<jinja::binary_expression>(node)) {
      return binary->op.value != "and" && binary->op.value != "or" && read(*binary->left) && read(*binary->right);
    }
    if (const auto* unary = node_as<jinja::unary_expression>(node)) return read(*unary->argument);
    if (const auto* filter = node_as<jinja::filter_expression>(node))
      return is_length(*filter) && read(*filter->operand);
    const auto* test = node_as<jinja::test_expression>(node);
    return test != nullptr && cast_stmt<jinja::identifier>(test->test) != nullptr && read(*test->operand);
  }

 private:
  static bool is_length(const jinja::filter_expression& node) {
    const auto* name = cast_stmt<jinja::identifier>(node.filter);
    return name != nullptr && (name->val == "length" || name->val == "count");
  }

  bool add(const std::string& name) {
    if (is_constant(name)) return true;
    if (name == "strftime_now") return false;
    const jinja::value one = names_.of(name);
    if (std::ranges::find(found_.names, one) == found_.names.end()) found_.names.push_back(one);
    return true;
  }

  bool read_member(const jinja::member_expression& node) {
    if (cast_stmt<jinja::slice_expression>(node.property) != nullptr) return false;
    const auto* object = cast_stmt<jinja::identifier>(node.object);
    const auto* member = cast_stmt<jinja::identifier>(node.property);
    if (!node.computed && member == nullptr) return false;
    if (object != nullptr && object->val == "loop" && !node.computed &&
        std::ranges::find(kPlaces, member->val) != kPlaces.end()) {
      found_.place = true;
      return true;
    }
    return read(*node.object) && (!node.computed || read(*node.property));
  }

  Reads& found_;
  ProgramNames& names_;
};

}  // namespace

const Repeatable* repeatable(const jinja::statement_ptr& node) { return dynamic_cast<const Repeatable*>(node.get()); }

Reads reads_of(const jinja::statement& node, ProgramNames& names) {
  Reads found;
  found.repeatable = NamesReader(found, names).read(node);
  found.is_name = node_as<jinja::identifier>(node) != nullptr;
  const auto* member = node_as<jinja::member_expression>(node);
  const auto* object = member == nullptr ? nullptr : cast_stmt<jinja::identifier>(member->object);
  if (object == nullptr || object->val == "loop") return found;
  found.variable = names.of(object->val);
  found.object = dynamic_cast<const Repeatable*>(member->object.get());
  const auto* property = cast_stmt<jinja::identifier>(member->property);
  if (!member->computed && property != nullptr) found.member = names.of(property->val);
  return found;
}

}  // namespace lh
