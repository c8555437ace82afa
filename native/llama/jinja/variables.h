// The variables of a scope of the interpreter, which jinja::context keeps to itself.
#pragma once

#include "jinja/runtime.h"

namespace lh {

[[nodiscard]] jinja::value_object& variables_of(jinja::context& scope);

// Gives a scope its own copy of its variables, and the old ones back at the end.
class InnerScope {
 public:
  explicit InnerScope(jinja::context& scope);
  ~InnerScope();
  InnerScope(const InnerScope&) = delete;
  InnerScope& operator=(const InnerScope&) = delete;

 private:
  jinja::value_object& place_;
  jinja::value_object outer_;
};

// Sets a variable. `name` is a string.
void set_variable(jinja::context& scope, const jinja::value& name, const jinja::value& value);

}  // namespace lh
