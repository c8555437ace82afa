#include "llama/jinja/nodes/variables.h"

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

// Makes the list hold this object of the name, so that the next search compares no texts.
jinja::value* find(jinja::value_object_t& all, const jinja::value& name) {
  for (auto& [key, held] : all.val_obj) {
    if (key == name) return &held;
  }
  const std::string& text = name->val_str.parts.front().val;
  for (auto& [key, held] : all.val_obj) {
    if (key->val_str.parts.size() != 1 || key->val_str.parts.front().val != text) continue;
    key = name;
    return &held;
  }
  return nullptr;
}

}  // namespace

jinja::value_object& variables_of(jinja::context& scope) { return opened(scope); }

InnerScope::InnerScope(jinja::context& scope) : place_(variables_of(scope)), outer_(place_) {
  auto copy = jinja::mk_val<jinja::value_object>();
  copy->has_builtins = false;
  copy->val_obj = outer_->val_obj;
  place_ = std::move(copy);
}

InnerScope::~InnerScope() { place_ = std::move(outer_); }

const jinja::value* find_variable(jinja::context& scope, const jinja::value& name) {
  return find(*variables_of(scope), name);
}

const jinja::value* find_variable(jinja::value_object_t& variables, const jinja::value& name) {
  return find(variables, name);
}

jinja::value held_by(jinja::context& scope, const jinja::value& name) {
  const jinja::value* const found = find_variable(scope, name);
  return found == nullptr ? jinja::value() : *found;
}

void set_variable(jinja::context& scope, const jinja::value& name, const jinja::value& value) {
  jinja::value_object_t& all = *variables_of(scope);
  if (jinja::value* const known = find(all, name)) {
    *known = value;
  } else {
    all.val_obj.emplace_back(name, value);
  }
}

void set_member(jinja::value_object_t& object, const jinja::value& name, const jinja::value& value) {
  const auto placed = object.unordered.try_emplace(name, value);
  if (placed.second) {
    object.val_obj.emplace_back(name, value);
    return;
  }
  placed.first->second = value;
  const auto is_same = [&](const auto& one) { return *one.first == *name; };
  const auto listed = std::ranges::find_if(object.val_obj, is_same);
  if (listed != object.val_obj.end()) listed->second = value;
}

}  // namespace lh
