// Runs the nodes of a template's program as llama.cpp does, without its two most expensive steps: a copy of a table of
// functions for each name that is read, and of all variables for each item of a loop.
// Must not: print, change or refuse anything that llama.cpp's code for the node does not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jinja/runtime.h"
#include "llama/jinja/nodes/loop_source.h"
#include "llama/jinja/nodes/memory.h"
#include "llama/jinja/nodes/names.h"
#include "llama/jinja/nodes/reads.h"

namespace lh {

// The members of `loop` that a template reads, as bits.
struct LoopMembers {
  static constexpr uint32_t kAll = 0x1FF;
  static constexpr uint32_t kAny = 0x200;  // one that no loop has
  uint32_t read = 0;

  // The template reads `loop.NAME`.
  void add(const std::string& name);
};

// Data that the nodes of a program share.
struct NodeContext {
  std::shared_ptr<const LoopMembers> loop;
  std::shared_ptr<ProgramNames> names;
};

template <typename T>
struct Known {
  Known(const T&, const NodeContext&) {}
};

template <>
struct Known<jinja::identifier> {
  Known(const jinja::identifier& node, const NodeContext& context);
  jinja::value name;
};

template <>
struct Known<jinja::member_expression> {
  Known(const jinja::member_expression& node, const NodeContext& context);
  jinja::value name;                   // after the point; null if the member is computed, or a number
  jinja::value variable;               // whose member it is; null if it is that of another expression
  const Repeatable* object = nullptr;  // the node of `variable`
  bool looks_ahead = false;            // a member of `loop` that tells how many items follow
};

template <>
struct Known<jinja::filter_expression> {
  Known(const jinja::filter_expression& node, const NodeContext&);
  std::string name;                              // of the function; empty: llama.cpp reports what is wrong
  const jinja::statements* arguments = nullptr;  // null: none, and the input may be made a text first
  bool wants_text = false;
};

// A literal is made once.
template <>
struct Known<jinja::string_literal> {
  Known(const jinja::string_literal& node, const NodeContext&);
  jinja::value made;
};

template <>
struct Known<jinja::integer_literal> {
  Known(const jinja::integer_literal& node, const NodeContext&);
  jinja::value made;
};

template <>
struct Known<jinja::binary_expression> {
  Known(const jinja::binary_expression& node, const NodeContext&);
  enum class Operator : uint8_t {
    kOther,
    kAnd,
    kOr,
    kEqual,
    kUnequal,
    kIn,
    kNotIn,
    kMinus,
    kLess,
    kMore,
    kAtMost,
    kAtLeast,
  } op = Operator::kOther;
};

template <>
struct Known<jinja::for_statement> {
  Known(const jinja::for_statement& node, const NodeContext& context);
  std::shared_ptr<const LoopMembers> loop;
  std::shared_ptr<const ProgramNames> names;
  jinja::value loop_name;
  std::vector<jinja::value> variables;   // null for one that is not a name
  std::vector<jinja::value> place_sets;  // variables that the first statements of the body set
  LoopSource source;                     // none for several variables, and for a loop with a condition
  std::shared_ptr<LoopMemory> memory = std::make_shared<LoopMemory>();
};

template <>
struct Known<jinja::set_statement> {
  Known(const jinja::set_statement& node, const NodeContext& context);
  jinja::value variable;              // null: no variable is set
  std::vector<jinja::value> several;  // variables; null for one that is not a name
  jinja::value object;                // the variable whose member is set; null: that of another expression
  const Repeatable* object_node = nullptr;
  jinja::value member;  // null: no member is set
};

template <>
struct Known<jinja::macro_statement> {
  Known(const jinja::macro_statement& node, const NodeContext& context);
  jinja::value name;                     // null: llama.cpp reports what is wrong
  std::string sign;                      // of this macro alone
  std::vector<jinja::value> parameters;  // null for one that is not a name
};

template <typename T>
jinja::value run_node(const T& node, const Known<T>&, jinja::context& scope) {
  return node.T::execute_impl(scope);
}

jinja::value run_node(const jinja::identifier& node, const Known<jinja::identifier>& known, jinja::context& scope);
jinja::value run_node(const jinja::member_expression& node, const Known<jinja::member_expression>& known,
                      jinja::context& scope);
jinja::value run_node(const jinja::filter_expression& node, const Known<jinja::filter_expression>& known,
                      jinja::context& scope);
jinja::value run_node(const jinja::string_literal& node, const Known<jinja::string_literal>& known,
                      jinja::context& scope);
jinja::value run_node(const jinja::integer_literal& node, const Known<jinja::integer_literal>& known,
                      jinja::context& scope);
jinja::value run_node(const jinja::binary_expression& node, const Known<jinja::binary_expression>& known,
                      jinja::context& scope);
jinja::value run_node(const jinja::unary_expression& node, const Known<jinja::unary_expression>& known,
                      jinja::context& scope);
jinja::value run_node(const jinja::if_statement& node, const Known<jinja::if_statement>& known, jinja::context& scope);
jinja::value run_node(const jinja::set_statement& node, const Known<jinja::set_statement>& known,
                      jinja::context& scope);
jinja::value run_node(const jinja::macro_statement& node, const Known<jinja::macro_statement>& known,
                      jinja::context& scope);
jinja::value run_node(const jinja::for_statement& node, const Known<jinja::for_statement>& known,
                      jinja::context& scope);

// Adds a printed value to a text.
void add_text(jinja::value printed, jinja::value_string& text);

// The text that the statements print, as one text and as a value.
[[nodiscard]] std::string plain_text_of(const jinja::statements& statements, jinja::context& scope);
[[nodiscard]] jinja::value text_of(const jinja::statements& statements, jinja::context& scope);

// Tells the loops that run that a node has read a variable: an iteration that reads none of its loop's variables may be
// the last.
void note_read(const jinja::value& variable);
// Tells the loops that run that a node has read how many items follow.
void note_ahead(const jinja::value& loop);

// The value of `loop` at item `i`. `read`: the members that the template reads, as bits of LoopMembers.
[[nodiscard]] jinja::value loop_value(uint32_t read, const std::vector<jinja::value>& items, size_t i);

}  // namespace lh
