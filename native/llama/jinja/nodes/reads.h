// Repeatable expressions: they change nothing, and their value follows from the variables that they name.
#pragma once

#include <vector>

#include "jinja/runtime.h"
#include "llama/jinja/nodes/names.h"

namespace lh {

struct Repeatable;

// The data that a repeatable expression reads.
struct Reads {
  bool repeatable = false;
  bool is_name = false;  // the expression is the name of a variable
  bool place = false;    // the expression reads a member of `loop` that no later item changes, such as `loop.first`
  std::vector<jinja::value> names;     // variables; `loop` if it reads how many items follow
  jinja::value variable;               // of `variable.member` and `variable[...]`; null for another expression
  jinja::value member;                 // of `variable.member`; null for another expression
  const Repeatable* object = nullptr;  // the node of `variable`
};

// A node whose expression can run any number of times.
struct Repeatable {
  virtual jinja::value again(jinja::context& scope) const = 0;
  [[nodiscard]] virtual const Reads& reads() const = 0;

 protected:
  ~Repeatable() = default;
};

// The node, if its expression is repeatable.
[[nodiscard]] const Repeatable* repeatable(const jinja::statement_ptr& node);

[[nodiscard]] Reads reads_of(const jinja::statement& node, ProgramNames& names);

}  // namespace lh
