// The names of a template's program.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "jinja/runtime.h"

namespace lh {

// `true`, `none` and the like, which are variables of a scope.
[[nodiscard]] bool is_constant(std::string_view name);

// True if the node is this name.
[[nodiscard]] bool is_named(const jinja::statement_ptr& node, std::string_view name);

// Each name of a program is one value, so that names are compared by address.
class ProgramNames {
 public:
  jinja::value of(const std::string& name);
  // The name of a variable that the program sets.
  jinja::value set_by_program(const std::string& name);
  // True if the program sets `loop`, or the name of a constant such as `true`.
  [[nodiscard]] bool sets_constants() const { return sets_constants_; }

 private:
  std::map<std::string, jinja::value> known_;
  bool sets_constants_ = false;
};

}  // namespace lh
