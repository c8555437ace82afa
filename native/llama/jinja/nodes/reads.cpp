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

  // Divides the lists from the other variables, when all is read.
  void end() {
    const auto is_plain = [this](const jinja::value& name) { return std::ranges::find(plain_, name) != plain_.end(); };
    std::erase_if(found_.lists, is_plain);
  }

  // False: the expression is not repeatable.
  bool read(const jinja::statement& node) {
    if (node_as<jinja::string_literal>(node) || node_as<jinja::integer_literal>(node) ||
        node_as<jinja::float_literal>(node)) {
      return true;
    }
    if (const auto* name = node_as<jinja::identifier>(node)) return add(name->val, plain_);
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

  // `uses`: names of variables that are read in this way.
  bool add(const std::string& name, std::vector<jinja::value>& uses) {
    if (is_constant(name)) return true;
    if (name == "strftime_now") return false;
    const jinja::value one = names_.of(name);
    for (std::vector<jinja::value>* to : {&found_.names, &uses}) {
      if (std::ranges::find(*to, one) == to->end()) to->push_back(one);
    }
    return true;
  }

  bool read_member(const jinja::member_expression& node) {
    if (cast_stmt<jinja::slice_expression>(node.property) != nullptr) return false;
    const auto* object = cast_stmt<jinja::identifier>(node.object);
    const auto* member = cast_stmt<jinja::identifier>(node.property);
    if (!node.computed && member == nullptr) return false;
    if (object != nullptr && object->val == "loop" && !node.computed) {
      const bool place = std::ranges::find(kPlaces, member->val) != kPlaces.end();
      const bool last = member->val == "last";
      found_.place = found_.place || place;
      found_.last = found_.last || last;
      if (place || last) return true;
    }
    const bool of_list = node.computed && object != nullptr && object->val != "loop";
    const bool known = of_list ? add(object->val, found_.lists) : read(*node.object);
    return known && (!node.computed || read(*node.property));
  }

  Reads& found_;
  ProgramNames& names_;
  std::vector<jinja::value> plain_;
};

}  // namespace

thread_local ListReach* ListReach::current = nullptr;

const Repeatable* repeatable(const jinja::statement_ptr& node) { return dynamic_cast<const Repeatable*>(node.get()); }

Reads reads_of(const jinja::statement& node, ProgramNames& names) {
  Reads found;
  NamesReader reader(found, names);
  found.repeatable = reader.read(node);
  reader.end();
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
