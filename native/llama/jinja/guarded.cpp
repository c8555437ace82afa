#include "llama/jinja/guarded.h"

#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "llama/jinja/node_run.h"
#include "llama/jinja/nodes/nodes.h"
#include "llama/jinja/nodes/reads.h"
#include "llama/jinja/nodes/recorder.h"
#include "llama/jinja/numbers.h"
#include "llama/jinja/values.h"

namespace lh {
namespace {

using jinja::statement_ptr;
using jinja::statements;

// Prints a list in its present state; llama.cpp prints it at the end of the block, when it may have changed, or contain
// itself.
jinja::value as_text(jinja::value printed) {
  if (!printed->val_str.parts.empty() || !jinja::is_val<jinja::value_array>(printed)) return printed;
  auto text = jinja::mk_val<jinja::value_string>();
  jinja::gather_string_parts_recursive(printed, text);
  return text;
}

// A node whose expression may be repeatable.
template <typename T>
concept MayRepeat = std::is_base_of_v<jinja::identifier, T> || std::is_base_of_v<jinja::member_expression, T> ||
    std::is_base_of_v<jinja::binary_expression, T> || std::is_base_of_v<jinja::unary_expression, T> ||
    std::is_base_of_v<jinja::filter_expression, T> || std::is_base_of_v<jinja::test_expression, T>;

// A guarded node adds its facts, and the data that it shares with the program, to llama.cpp's node.
template <typename T>
struct Running : T {
  Running(T&& node, NodeFacts its_facts, const NodeContext& context)
      : T(std::move(node)), facts(std::move(its_facts)), known(static_cast<const T&>(*this), context) {}

  jinja::value run(jinja::context& context) const { return run_node(static_cast<const T&>(*this), known, context); }

  const NodeFacts facts;
  const Known<T> known;
};

template <MayRepeat T>
struct Running<T> : T, Repeatable {
  Running(T&& node, NodeFacts its_facts, const NodeContext& context)
      : T(std::move(node)),
        facts(std::move(its_facts)),
        known(static_cast<const T&>(*this), context),
        its_reads(reads_of(*this, *context.names)) {}

  jinja::value run(jinja::context& context) const {
    const auto run_it = [&] { return run_node(static_cast<const T&>(*this), known, context); };
    Recorder* const recorder = Recorder::current();
    if (recorder == nullptr) return run_it();
    if (its_reads.repeatable) return recorder->read(*this, its_reads, context, run_it);
    if (its_reads.is_name) recorder->give_up();  // the value changes with the time
    return run_it();
  }

  jinja::value again(jinja::context& context) const override {
    NodeRun node(facts, ValueUse::kValue);
    jinja::value made = run_node(static_cast<const T&>(*this), known, context);
    node.leave(made);
    return made;
  }

  [[nodiscard]] const Reads& reads() const override { return its_reads; }

  const NodeFacts facts;
  const Known<T> known;
  const Reads its_reads;
};

template <typename T>
struct Guarded final : Running<T> {
  using Running<T>::Running;
  using Running<T>::facts;

  jinja::value execute_impl(jinja::context& context) const override {
    NodeRun run(facts, facts.use);
    jinja::value made = Running<T>::run(context);
    if constexpr (std::is_base_of_v<jinja::filter_expression, T>) {
      if (facts.spells) made = without_marks(std::move(made), facts.name);
    }
    if constexpr (std::is_base_of_v<jinja::expression, T>) {
      if (facts.use == ValueUse::kPrinted) made = printed(std::move(made));
    }
    run.leave(made);
    if constexpr (std::is_base_of_v<jinja::expression, T>) {
      if (facts.use == ValueUse::kPrinted) made = as_text(std::move(made));
    }
    if constexpr (std::is_base_of_v<jinja::expression, T>) {
      if (facts.use == ValueUse::kOperand) return with_python_text(std::move(made));
      if (facts.use == ValueUse::kSpelled) return with_marked_numbers(std::move(made), TemplateBudget::current());
    }
    return made;
  }
};

// The text of a block, as an operand: {% filter %} is a filter of it.
struct BlockText : jinja::expression {
  explicit BlockText(statements&& nodes) : block(std::move(nodes)) {}

  std::string type() const override { return "BlockText"; }
  jinja::value execute_impl(jinja::context& context) const override {
    auto printed = jinja::mk_val<jinja::value_array>();
    for (const statement_ptr& one : block) printed->push_back(one->execute(context));
    auto text = jinja::mk_val<jinja::value_string>();
    jinja::gather_string_parts_recursive(printed, text);
    return text;
  }
  void visit(jinja::context& context) const override {
    context.visitor(false, this, {{"body", jinja::stmts_to_ptr(block)}});
  }

  statements block;
};

// Lets a loop whose body has no node that is guarded be interrupted.
struct Tick : jinja::statement {
  std::string type() const override { return "Noop"; }
  jinja::value execute_impl(jinja::context&) const override { return jinja::mk_val<jinja::value_undefined>(); }
};

std::string filter_name(const std::string& name) {
  if (name == "d") return "default";
  if (name == "e") return "escape";
  return name == "count" ? "length" : name;
}

class Guard {
 public:
  explicit Guard(uint32_t variables) : variables_(variables) {}

  void program(jinja::program& all) {
    first_ = true;
    put_all(all.body, ValueUse::kPrinted);
  }

 private:
  void put(statement_ptr& node, ValueUse use) {
    if (!node) return;
    NodeFacts facts;
    facts.use = use;
    facts.first = std::exchange(first_, false);
    const jinja::statement& as_it_is = *node;
    const std::type_info& type = typeid(as_it_is);
    static_cast<void>(                                    //
        as<jinja::identifier>(type, node, facts) ||       //
        as<jinja::string_literal>(type, node, facts) ||   //
        as<jinja::integer_literal>(type, node, facts) ||  //
        as<jinja::float_literal>(type, node, facts) ||    //
        as<jinja::member_expression>(type, node, facts) || as<jinja::call_expression>(type, node, facts) ||
        as<jinja::binary_expression>(type, node, facts) || as<jinja::unary_expression>(type, node, facts) ||
        as<jinja::filter_expression>(type, node, facts) || as<jinja::test_expression>(type, node, facts) ||
        as<jinja::ternary_expression>(type, node, facts) || as<jinja::select_expression>(type, node, facts) ||
        as<jinja::array_literal>(type, node, facts) ||                                                              //
        as<jinja::tuple_literal>(type, node, facts) ||                                                              //
        as<jinja::object_literal>(type, node, facts) ||                                                             //
        as<jinja::keyword_argument_expression>(type, node, facts) || as<jinja::if_statement>(type, node, facts) ||  //
        as<jinja::for_statement>(type, node, facts) ||                                                              //
        as<jinja::set_statement>(type, node, facts) ||                                                              //
        as<jinja::macro_statement>(type, node, facts) ||                                                            //
        as<jinja::call_statement>(type, node, facts) ||                                                             //
        as<jinja::filter_statement>(type, node, facts) ||                                                           //
        as<BlockText>(type, node, facts) ||                                                                         //
        as<Tick>(type, node, facts));
    // The others do nothing, end a loop, or cannot run.
    if (facts.first) first_ = true;
  }

  void put_all(statements& nodes, ValueUse use) {
    for (statement_ptr& node : nodes) put(node, use);
  }

  template <typename T>
  bool as(const std::type_info& type, statement_ptr& node, NodeFacts& facts) {
    if (type != typeid(T)) return false;
    auto& own = static_cast<T&>(*node);
    if constexpr (std::is_same_v<T, jinja::filter_statement>) {
      filter_block(own, node, facts);
    } else {
      children(own, facts);
      node = std::make_unique<Guarded<T>>(std::move(own), std::move(facts), NodeContext{loop_, names_});
    }
    facts = {};
    return true;
  }

  // Names, literals, Tick.
  void children(jinja::identifier& node, NodeFacts& facts) {
    facts.variables = variables_;
    if (node.val == "loop" && &node != loop_of_member_) loop_->read = LoopMembers::kAll;
  }
  void children(jinja::statement&, NodeFacts&) {}

  void children(jinja::member_expression& node, NodeFacts& facts) {
    if (!node.computed) {
      note_loop(node);
      return put(node.object, ValueUse::kValue);
    }
    facts.operation = Operation::kMember;
    put(node.object, ValueUse::kOperand);
    if (auto* slice = dynamic_cast<jinja::slice_expression*>(node.property.get())) {
      facts.operation = Operation::kSlice;
      facts.operands = 1;
      for (statement_ptr* bound : {&slice->step_expr, &slice->start_expr, &slice->stop_expr}) {
        if (!*bound) continue;
        ++facts.operands;
        put(*bound, ValueUse::kOperand);
      }
      facts.steps = slice->step_expr != nullptr;
    } else {
      facts.operands = 2;
      put(node.property, ValueUse::kOperand);
    }
  }

  void note_loop(const jinja::member_expression& node) {
    const auto* object = dynamic_cast<const jinja::identifier*>(node.object.get());
    const auto* member = dynamic_cast<const jinja::identifier*>(node.property.get());
    if (object == nullptr || member == nullptr || object->val != "loop") return;
    loop_->add(member->val);
    loop_of_member_ = object;
  }

  void children(jinja::call_expression& node, NodeFacts& facts) {
    facts.operation = Operation::kCall;
    facts.variables = variables_;
    facts.operands = static_cast<uint32_t>(node.args.size() + 1);
    put_all(node.args, ValueUse::kOperand);
    put(node.callee, ValueUse::kOperand);
  }

  void children(jinja::binary_expression& node, NodeFacts& facts) {
    facts.operation = Operation::kBinary;
    facts.operands = 2;
    facts.name = node.op.value;
    put(node.left, ValueUse::kOperand);
    put(node.right, ValueUse::kOperand);
  }

  void children(jinja::unary_expression& node, NodeFacts&) { put(node.argument, ValueUse::kValue); }

  void children(jinja::filter_expression& node, NodeFacts& facts) {
    facts.operation = Operation::kFilter;
    named(node.filter, facts);
    facts.name = filter_name(facts.name);
    facts.spells = facts.name == "tojson" || facts.name == "safe" || facts.name == "string" || facts.name == "join";
    put(node.operand, facts.spells ? ValueUse::kSpelled : ValueUse::kOperand);
  }

  void children(jinja::test_expression& node, NodeFacts& facts) {
    facts.operation = Operation::kTest;
    put(node.operand, ValueUse::kOperand);
    named(node.test, facts);
    facts.name = "test_is_" + facts.name;
  }

  // The interpreter reads the name of a filter or test, and runs its arguments.
  void named(statement_ptr& node, NodeFacts& facts) {
    facts.operands = 1;
    const statement_ptr* name = &node;
    if (auto* call = dynamic_cast<jinja::call_expression*>(node.get())) {
      facts.operands += static_cast<uint32_t>(call->args.size());
      put_all(call->args, ValueUse::kOperand);
      name = &call->callee;
    }
    if (const auto* known = dynamic_cast<const jinja::identifier*>(name->get())) facts.name = known->val;
  }

  void children(jinja::ternary_expression& node, NodeFacts&) {
    put(node.condition, ValueUse::kValue);
    put(node.true_expr, ValueUse::kValue);
    put(node.false_expr, ValueUse::kValue);
  }

  void children(jinja::select_expression& node, NodeFacts&) {
    put(node.lhs, ValueUse::kValue);
    put(node.test, ValueUse::kValue);
  }

  void children(jinja::array_literal& node, NodeFacts& facts) {
    facts.operation = Operation::kList;
    put_all(node.val, ValueUse::kValue);
  }

  void children(jinja::tuple_literal& node, NodeFacts& facts) {
    facts.operation = Operation::kList;
    put_all(node.val, ValueUse::kValue);
  }

  void children(jinja::object_literal& node, NodeFacts& facts) {
    facts.operation = Operation::kObject;
    facts.members = static_cast<uint32_t>(node.val.size());
    for (auto& [key, value] : node.val) {
      put(key, ValueUse::kOperand);
      put(value, ValueUse::kValue);
    }
  }

  void children(jinja::keyword_argument_expression& node, NodeFacts&) { put(node.val, ValueUse::kValue); }

  void children(jinja::if_statement& node, NodeFacts&) {
    put(node.test, ValueUse::kValue);
    put_all(node.body, ValueUse::kPrinted);
    put_all(node.alternate, ValueUse::kPrinted);
  }

  void children(jinja::for_statement& node, NodeFacts& facts) {
    facts.operation = Operation::kFor;
    facts.operands = 1;
    facts.variables = variables_;
    facts.unpacks = dynamic_cast<const jinja::tuple_literal*>(node.loopvar.get()) != nullptr;
    if (auto* select = dynamic_cast<jinja::select_expression*>(node.iterable.get())) {  // which does not run itself
      put(select->lhs, ValueUse::kOperand);
      put(select->test, ValueUse::kValue);
    } else {
      put(node.iterable, ValueUse::kOperand);
    }
    if (node.body.empty()) {
      node.body.push_back(std::make_unique<Tick>());
      node.body.back()->pos = node.pos;
    }
    put_all(node.body, ValueUse::kPrinted);
    put_all(node.default_block, ValueUse::kPrinted);
  }

  void children(jinja::set_statement& node, NodeFacts& facts) {
    facts.variables = variables_;
    put_all(node.body, ValueUse::kPrinted);
    auto* member = dynamic_cast<jinja::member_expression*>(node.assignee.get());
    if (member == nullptr) return put(node.val, ValueUse::kValue);
    facts.operation = Operation::kSetMember;
    facts.operands = node.val ? 2 : 1;
    put(node.val, ValueUse::kOperand);
    put(member->object, ValueUse::kOperand);
  }

  void parameters(statements& nodes) {
    for (statement_ptr& node : nodes) {
      if (auto* named = dynamic_cast<jinja::keyword_argument_expression*>(node.get()))
        put(named->val, ValueUse::kValue);
    }
  }

  void children(jinja::macro_statement& node, NodeFacts& facts) {
    facts.variables = variables_;
    parameters(node.args);
    put_all(node.body, ValueUse::kPrinted);
  }

  void children(jinja::call_statement& node, NodeFacts& facts) {
    facts.operation = Operation::kCallBlock;
    facts.variables = variables_;
    auto& call = static_cast<jinja::call_expression&>(*node.call);
    facts.operands = static_cast<uint32_t>(call.args.size() + 1);
    put(call.callee, ValueUse::kOperand);
    put_all(call.args, ValueUse::kOperand);
    parameters(node.caller_args);
    for (const statement_ptr& parameter : node.caller_args) {
      const auto* named = jinja::cast_stmt<jinja::keyword_argument_expression>(parameter);
      const auto* name = jinja::cast_stmt<jinja::identifier>(named == nullptr ? parameter : named->key);
      if (name != nullptr) names_->set_by_program(name->val);
    }
    put_all(node.body, ValueUse::kPrinted);
  }

  void filter_block(jinja::filter_statement& node, statement_ptr& place, const NodeFacts& facts) {
    statement_ptr text = std::make_unique<BlockText>(std::move(node.body));
    text->pos = node.pos;
    statement_ptr filter = std::make_unique<jinja::filter_expression>(std::move(text), std::move(node.filter));
    filter->pos = node.pos;
    place = std::move(filter);
    first_ = facts.first;
    put(place, facts.use);
  }

  void children(BlockText& node, NodeFacts&) { put_all(node.block, ValueUse::kPrinted); }

  const uint32_t variables_;
  const std::shared_ptr<LoopMembers> loop_ = std::make_shared<LoopMembers>();
  const std::shared_ptr<ProgramNames> names_ = std::make_shared<ProgramNames>();
  const jinja::statement* loop_of_member_ = nullptr;  // the `loop` of the last `loop.NAME`
  bool first_ = false;
};

}  // namespace

void guard(jinja::program& program, uint32_t variables) { Guard(variables).program(program); }

}  // namespace lh
