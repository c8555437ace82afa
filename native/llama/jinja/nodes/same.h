// Equality of a template's values, with all that is in them, and copies of them.
#pragma once

#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "jinja/value.h"

namespace lh {

using ValueMembers = std::vector<std::pair<jinja::value, jinja::value>>;

[[nodiscard]] inline bool is_list_or_object(const jinja::value& one) {
  return jinja::is_val<jinja::value_array>(one) || jinja::is_val<jinja::value_object>(one);
}

// The object is the value, or may be in it. Values that a template was given hold no other ones.
[[nodiscard]] bool may_reach(const jinja::value& from, const jinja::value& object);

// True if no template can tell the values apart. They nest as deep as the JSON that they come from.
[[nodiscard]] bool same(const jinja::value& a, const jinja::value& b);
[[nodiscard]] bool same_members(const ValueMembers& a, const ValueMembers& b);

// A value of a list that cannot change: it was given, or is a text, a number or the like.
[[nodiscard]] bool is_steady(const jinja::value& one);

// A value that stays as this one is now, whatever the template changes later. A value that the template was given is
// itself. Null if there is no copy: of some functions, of a container that nests deeply or has many values, and of one
// that `may_copy` refuses.
[[nodiscard]] jinja::value snapshot(const jinja::value& one);
[[nodiscard]] jinja::value snapshot(const jinja::value& one, FunctionRef<bool(const jinja::value&)> may_copy);

}  // namespace lh
