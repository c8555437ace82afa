#include "llama/jinja/variables.h"

#include <algorithm>
#include <utility>

namespace lh {
namespace {

jinja::value_object& opened(jinja::context& scope);

// An explicit instantiation may name a private member.
template <auto Member>
struct Opened {
  friend jinja::value_object& opened(jinja::context& scope) { return scope.*Member; }
};
template struct Opened<&jinja::context::env>;

}  // namespace

jinja::value_object& variables_of(jinja::context& scope) { return opened(scope); }

InnerScope::InnerScope(jinja::context& scope) : place_(variables_of(scope)), outer_(place_) {
  auto copy = jinja::mk_val<jinja::value_object>();
  copy->has_builtins = false;
  copy->val_obj = outer_->val_obj;
  copy->unordered = outer_->unordered;
  place_ = std::move(copy);
}

InnerScope::~InnerScope() { place_ = std::move(outer_); }

void set_variable(jinja::context& scope, const jinja::value& name, const jinja::value& value) {
  jinja::value_object_t& all = *variables_of(scope);
  const auto [found, added] = all.unordered.try_emplace(name, value);
  if (added) {
    all.val_obj.emplace_back(name, value);
    return;
  }
  found->second = value;
  const jinja::value& known = found->first;
  // The list has the same object as the table for each name that was added here or by a copy.
  auto held = std::ranges::find(all.val_obj, known, &std::pair<jinja::value, jinja::value>::first);
  if (held == all.val_obj.end()) {
    held = std::ranges::find_if(all.val_obj, [&name](const auto& one) { return *one.first == *name; });
  }
  if (held != all.val_obj.end()) held->second = value;
}

}  // namespace lh
