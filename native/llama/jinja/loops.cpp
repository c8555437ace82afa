#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "llama/jinja/changes.h"
#include "llama/jinja/nodes.h"
#include "llama/jinja/variables.h"

namespace lh {
namespace {

using jinja::cast_stmt;
using jinja::is_val;
using jinja::mk_val;
using Value = jinja::value;

constexpr std::array<std::string_view, 9> kLoopMembers = {"index", "index0", "revindex", "revindex0", "first",
                                                          "last",  "length", "previtem", "nextitem"};

// The items of a loop, as it goes through them.
std::vector<Value> items_of(const Value& through) {
  if (through->is_undefined()) return {};
  if (is_val<jinja::value_array>(through)) return through->as_array();
  if (!is_val<jinja::value_object>(through)) {
    throw std::runtime_error("Expected iterable or object type in for loop: got " + through->type());
  }
  std::vector<Value> items;
  for (const auto& member : through->as_ordered_object()) items.push_back(mk_val<jinja::value_tuple>(member));
  return items;
}

// The variables of a loop: one name for each item, or several for the members of each.
class LoopVariables {
 public:
  LoopVariables(const jinja::for_statement& node, const Known<jinja::for_statement>& known, bool keys)
      : keys_(keys), several_(cast_stmt<jinja::tuple_literal>(node.loopvar)), names_(known.variables) {}

  // Throws what llama.cpp throws before the first iteration.
  void check(const Value& item, const jinja::statement_ptr& names) const {
    if (several_ == nullptr) {
      if (!names_.front()) throw std::runtime_error("Invalid loop variable(s): " + names->type());
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
  [[nodiscard]] Value shown(const Value& item) const {
    return several_ == nullptr && keys_ ? item->as_array()[0] : item;
  }

  // The value of the only variable; null if there are several.
  [[nodiscard]] Value only(const Value& item) const { return several_ == nullptr ? shown(item) : Value(); }

  void set(jinja::context& scope, const Value& item) const {
    if (several_ == nullptr) return set_variable(scope, names_[0], shown(item));
    const std::vector<Value>& members = item->as_array();
    for (size_t i = 0; i < names_.size(); ++i) {
      if (!names_[i]) throw std::runtime_error("Cannot unpack non-identifier type: " + several_->val[i]->type());
      set_variable(scope, names_[i], members[i]);
    }
  }

 private:
  const bool keys_;
  const jinja::tuple_literal* const several_;
  const std::vector<Value>& names_;
};

const std::array<Value, kLoopMembers.size()>& loop_names() {
  static const auto* const names = [] {
    auto* made = new std::array<Value, kLoopMembers.size()>;  // never destroyed: threads may outlive static teardown
    for (size_t i = 0; i < made->size(); ++i) (*made)[i] = text_value(std::string(kLoopMembers[i]));
    return made;
  }();
  return *names;
}

Value loop_value(uint32_t read, const std::vector<Value>& items, size_t i) {
  const auto number = [](size_t n) { return mk_val<jinja::value_int>(static_cast<int64_t>(n)); };
  const auto member = [&](size_t which) -> Value {
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
    if ((read >> which & 1U) == 0) continue;
    loop->val_obj.emplace_back(loop_names()[which], member(which));
    if ((read & LoopMembers::kAll) == LoopMembers::kAll) {
      loop->unordered.emplace(loop->val_obj.back());  // else only `loop.NAME` is read
    }
  }
  return loop;
}

// An iteration that has printed and changed nothing, and has not read the loop's variables, is like all that follow it.
class Iteration {
 public:
  Iteration() : outer_(std::exchange(innermost, this)) {}
  ~Iteration() { innermost = outer_; }
  Iteration(const Iteration&) = delete;
  Iteration& operator=(const Iteration&) = delete;

  // `item`: the loop's variable; null if it has several.
  void begin(const Value& item, const Value& loop, const jinja::value_string_t& text) {
    item_ = item.get();
    loop_ = loop.get();
    read_ = item == nullptr;
    parts_ = text.val_str.parts.size();
    changes_ = changes().all;
    begun_ = true;
  }

  [[nodiscard]] bool settled(const jinja::value_string_t& text) const {
    return begun_ && !read_ && changes().all == changes_ && text.val_str.parts.size() == parts_;
  }

  static void note_read(const Value& variable) {
    for (Iteration* one = innermost; one != nullptr; one = one->outer_) {
      if (variable.get() == one->item_ || variable.get() == one->loop_) one->read_ = true;
    }
  }

 private:
  static thread_local Iteration* innermost;

  Iteration* const outer_;
  const jinja::value_t* item_ = nullptr;
  const jinja::value_t* loop_ = nullptr;
  size_t parts_ = 0;
  uint64_t changes_ = 0;
  bool read_ = false;
  bool begun_ = false;
};
thread_local Iteration* Iteration::innermost = nullptr;

}  // namespace

void note_read(const jinja::value& variable) { Iteration::note_read(variable); }

void LoopMembers::add(const std::string& name) {
  const auto found = std::ranges::find(kLoopMembers, name);
  read |= found == kLoopMembers.end() ? kAny : 1U << (found - kLoopMembers.begin());
}

Known<jinja::for_statement>::Known(const jinja::for_statement& node, const NodeContext& context)
    : loop(context.loop), loop_name(context.names->of("loop")) {
  const auto add = [&](const jinja::statement_ptr& name) {
    const auto* one = cast_stmt<jinja::identifier>(name);
    variables.push_back(one == nullptr ? Value() : context.names->of(one->val));
  };
  if (const auto* several = cast_stmt<jinja::tuple_literal>(node.loopvar)) {
    for (const jinja::statement_ptr& name : several->val) add(name);
  } else {
    add(node.loopvar);
  }
}

jinja::value run_node(const jinja::for_statement& node, const Known<jinja::for_statement>& known,
                      jinja::context& scope) {
  if (scope.is_get_stats) return node.jinja::for_statement::execute_impl(scope);
  auto text = mk_val<jinja::value_string>();
  bool iterated = false;
  {
    const InnerScope inner(scope);
    const auto* select = cast_stmt<jinja::select_expression>(node.iterable);
    const Value through = (select == nullptr ? node.iterable : select->lhs)->execute(scope);
    std::vector<Value> items = items_of(through);
    const LoopVariables variables(node, known, is_val<jinja::value_object>(through));
    const auto keeps = [&](const Value& item) {
      variables.check(item, node.loopvar);
      if (select == nullptr) return true;
      const InnerScope test(scope);
      variables.set(scope, item);
      return select->test->execute(scope)->as_bool();
    };
    std::erase_if(items, [&](const Value& item) { return !keeps(item); });
    std::vector<Value> shown;
    if (known.loop->read != 0) {
      for (const Value& item : items) shown.push_back(variables.shown(item));
    }
    Iteration iteration;
    for (size_t i = 0; i < items.size() && !iteration.settled(*text); ++i) {
      const Value loop = known.loop->read == 0 ? Value() : loop_value(known.loop->read, shown, i);
      if (loop) set_variable(scope, known.loop_name, loop);
      variables.set(scope, items[i]);
      iteration.begin(variables.only(items[i]), loop, *text);
      try {
        for (const jinja::statement_ptr& statement : node.body) add_text(statement->execute(scope), text);
      } catch (const jinja::continue_statement::signal&) {
        continue;
      } catch (const jinja::break_statement::signal&) {
        break;
      }
      iterated = true;
    }
  }
  if (!iterated) {
    for (const jinja::statement_ptr& statement : node.default_block) add_text(statement->execute(scope), text);
  }
  return text;
}

}  // namespace lh
