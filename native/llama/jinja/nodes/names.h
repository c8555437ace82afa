// The names of a template's program.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "jinja/value.h"

namespace lh {

// `true`, `none` and the like, which are variables of a scope.
[[nodiscard]] bool is_constant(std::string_view name);

// The names of a program, each as one value.
class ProgramNames {
 public:
  jinja::value of(const std::string& name);
  // The name of a variable that the program sets.
  jinja::value set_by_program(const std::string& name);
  // The program sets `loop`, `true`, or another name of a constant.
  [[nodiscard]] bool sets_constants() const { return sets_constants_; }

 private:
  std::map<std::string, jinja::value> known_;
  bool sets_constants_ = false;
};

}  // namespace lh
