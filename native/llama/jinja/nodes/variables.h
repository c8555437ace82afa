// The variables of a scope of the interpreter, which jinja::context keeps to itself. Nodes find and set them in the
// list, by the same objects for the same names. The table beside it has the variables that llama.cpp itself has set, or
// none. Must not: let llama.cpp read or set a variable by itself in a scope whose nodes run.
#pragma once

#include <string>

#include "jinja/runtime.h"

namespace lh {

[[nodiscard]] inline jinja::value text_value(const std::string& text) {
  return jinja::mk_val<jinja::value_string>(text);
}

[[nodiscard]] jinja::value_object& variables_of(jinja::context& scope);

// Replaces the variables of a scope by a copy, and puts the old ones back at the end.
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

// The variable; null if there is none. `name`: a text of one part.
[[nodiscard]] const jinja::value* find_variable(jinja::context& scope, const jinja::value& name);
[[nodiscard]] const jinja::value* find_variable(jinja::value_object_t& variables, const jinja::value& name);

// The value of a variable; null if there is none.
[[nodiscard]] jinja::value held_by(jinja::context& scope, const jinja::value& name);

void set_variable(jinja::context& scope, const jinja::value& name, const jinja::value& value);
void set_member(jinja::value_object_t& object, const jinja::value& name, const jinja::value& value);

}  // namespace lh
