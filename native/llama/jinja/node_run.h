// One run of a node of a guarded program: from before the code for the node to after it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "jinja/runtime.h"
#include "llama/jinja/nodes/budget.h"

namespace lh {

// The use that is made of a node's value.
enum class ValueUse : uint8_t {
  kValue,    // nothing that matters
  kOperand,  // the node that runs around this one works with it, and checks it first
  kSpelled,  // the same, and the filter around this one writes all that is in it
  kPrinted,  // it is added to the text around it
};

enum class Operation : uint8_t {
  kNone,
  kBinary,     // operands: left, right (of `and` and `or` perhaps only the left one)
  kFilter,     // operands: the input, then the arguments
  kTest,       // the same
  kCall,       // operands: the arguments, then the function
  kCallBlock,  // operands: the function, then the arguments
  kMember,     // operands: the container, then the computed name, if there is one
  kSlice,      // operands: the container, then the step if there is one, then other bounds
  kFor,        // operand: the value that it iterates over
  kSetMember,  // operands: the value, unless the statement has a body, then the object
  kList,       // makes a list or tuple
  kObject,     // makes an object; operands: its keys
};

// The facts that are known about a node before it runs.
struct NodeFacts {
  ValueUse use = ValueUse::kValue;
  Operation operation = Operation::kNone;
  bool first = false;      // of a program: a rendering begins
  bool unpacks = false;    // kFor: with several variables
  bool steps = false;      // kSlice: with a step
  bool spells = false;     // kFilter: writes all that is in its input
  uint32_t operands = 0;   // number that is checked
  uint32_t members = 0;    // kObject
  uint32_t variables = 0;  // names in the template, if the node looks one up or copies a scope
  std::string name;        // of the operator, the filter, or the test's function
};

class NodeRun {
 public:
  NodeRun(const NodeFacts& facts, ValueUse use);
  ~NodeRun();
  NodeRun(const NodeRun&) = delete;
  NodeRun& operator=(const NodeRun&) = delete;

  // The node has run.
  void leave(const jinja::value& made);

 private:
  using Operands = std::span<const jinja::value>;

  void take(const jinja::value& operand);
  void check(Operands all);
  void enter_loop(const jinja::value& through);
  void enter_function(const jinja::value& function, Operands given);
  void enter_scope();
  [[nodiscard]] bool is_unpacked(const jinja::value& list) const;
  [[nodiscard]] auto asks_unpacked() const {
    return [this](const jinja::value& list) { return is_unpacked(list); };
  }

  const NodeFacts& facts_;
  const ValueUse use_;
  NodeRun* const outer_;
  TemplateBudget& budget_;
  const uint64_t held_;
  const uint32_t depth_;
  uint32_t taken_ = 0;
  bool left_ = false;
  bool makes_namespace_ = false;
  bool creates_ = false;             // the function that is called always returns a new list or object
  std::array<jinja::value, 2> few_;  // operands, if there are so few
  std::vector<jinja::value> many_;
  std::vector<jinja::value> unpacked_;
};

}  // namespace lh
