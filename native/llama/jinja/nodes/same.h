// Deep comparison and deep copies of a template's values.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "jinja/value.h"

namespace lh {

using ValueMembers = std::vector<std::pair<jinja::value, jinja::value>>;

[[nodiscard]] inline bool is_list_or_object(const jinja::value& one) {
  if (!one->is_immutable()) return true;
  // A cast costs more than these tests, which no tuple passes.
  if (!one->val_str.parts.empty() || one->val_func || one->is_numeric()) return false;
  return jinja::is_val<jinja::value_tuple>(one);
}

// True if a variable other than `name` may refer to the object.
[[nodiscard]] bool has_other_names(const ValueMembers& variables, const jinja::value& name, const jinja::value& object);

// True if no template can tell the values apart. They nest as deep as the JSON that they come from.
[[nodiscard]] bool same(const jinja::value& a, const jinja::value& b);
[[nodiscard]] bool same_members(const ValueMembers& a, const ValueMembers& b);

// The number of equal values at the beginning of two lists.
[[nodiscard]] size_t common_items(const std::vector<jinja::value>& a, const std::vector<jinja::value>& b);

// True if a value cannot change: it was given, or is a text, a number or the like.
[[nodiscard]] bool is_steady(const jinja::value& one);

// A deep copy; given values are shared. Null if the value contains a function without identity, nests deeply, has many
// values, or contains a container that `may_copy` refuses.
[[nodiscard]] jinja::value snapshot(const jinja::value& one);
[[nodiscard]] jinja::value snapshot(const jinja::value& one, FunctionRef<bool(const jinja::value&)> may_copy);

}  // namespace lh
