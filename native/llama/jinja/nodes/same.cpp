#include "llama/jinja/nodes/same.h"

#include <algorithm>
#include <cmath>
#include <typeinfo>

namespace lh {
namespace {

constexpr int kDeepestCopy = 8;
constexpr int kMostCopied = 1024;  // values

// A function of the interpreter is identified by its name, a macro by its name and sign. Any other function, such as
// the caller of a macro or a method of a value, equals only itself.
bool same_function(const jinja::value_t& a, const jinja::value_t& b) {
  const auto* one = dynamic_cast<const jinja::value_func_t*>(&a);
  const auto* other = dynamic_cast<const jinja::value_func_t*>(&b);
  if (one == nullptr || other == nullptr || one->arg0 || other->arg0) return false;
  if (one->name != other->name || one->stats.ops != other->stats.ops || one->name == "strftime_now") return false;
  return !one->stats.ops.empty() || jinja::global_builtins().contains(one->name);
}

bool same_parts(const jinja::string& a, const jinja::string& b) {
  return std::ranges::equal(a.parts, b.parts, [](const jinja::string_part& x, const jinja::string_part& y) {
    return x.is_input == y.is_input && x.val == y.val;
  });
}

bool same_number(const jinja::value_t& a, const jinja::value_t& b) {
  return a.val_int == b.val_int && a.val_flt == b.val_flt && std::signbit(a.val_flt) == std::signbit(b.val_flt);
}

// `left`: how many values may still be copied.
jinja::value copy_of(const jinja::value& one, FunctionRef<bool(const jinja::value&)> may_copy, int depth, int& left) {
  if (one->stats.used) return one;
  const bool list = jinja::is_val<jinja::value_array>(one);
  const auto* object = dynamic_cast<const jinja::value_object_t*>(one.get());
  if (!list && object == nullptr) {
    const auto* function = dynamic_cast<const jinja::value_func_t*>(one.get());
    const bool unknown = function != nullptr && !same_function(*function, *function);
    return unknown || jinja::is_val<jinja::value_kwarg>(one) ? nullptr : one;
  }
  left -= 1 + static_cast<int>(std::min<size_t>(kMostCopied, one->val_arr.size() + one->val_obj.size()));
  if (depth == kDeepestCopy || left < 0 || !may_copy(one)) return nullptr;
  if (list) {
    std::vector<jinja::value> items;
    for (const jinja::value& item : one->val_arr) {
      jinja::value copied = copy_of(item, may_copy, depth + 1, left);
      if (!copied) return nullptr;
      items.push_back(std::move(copied));
    }
    if (jinja::is_val<jinja::value_tuple>(one)) return jinja::mk_val<jinja::value_tuple>(std::move(items));
    return jinja::mk_val<jinja::value_array>(std::move(items));
  }
  auto copied = jinja::mk_val<jinja::value_object>();
  copied->has_builtins = object->has_builtins;
  for (const auto& [key, member] : object->val_obj) {
    const jinja::value inner = copy_of(member, may_copy, depth + 1, left);
    if (!inner) return nullptr;
    copied->val_obj.emplace_back(key, inner);
    copied->unordered.emplace(key, inner);
  }
  return copied;
}

// True if `object` is `from`, or may be in it. A given value contains only given values.
bool may_reach(const jinja::value& from, const jinja::value& object) {
  if (from == object) return true;
  if (from->stats.used || !is_list_or_object(from)) return false;
  const auto is_open = [](const jinja::value& one) { return !one->stats.used && is_list_or_object(one); };
  return std::ranges::any_of(from->val_arr, is_open) ||
         std::ranges::any_of(from->val_obj, [&](const auto& member) { return is_open(member.second); });
}

}  // namespace

bool has_other_names(const ValueMembers& variables, const jinja::value& name, const jinja::value& object) {
  return std::ranges::any_of(
      variables, [&](const auto& variable) { return variable.first != name && may_reach(variable.second, object); });
}

bool same(const jinja::value& a, const jinja::value& b) {
  if (a == b) return true;
  const jinja::value_t& one = *a;
  const jinja::value_t& other = *b;
  if (typeid(one) != typeid(other)) return false;
  if (!one.val_str.parts.empty()) return same_parts(one.val_str, other.val_str);
  if (one.is_numeric()) return same_number(one, other);
  if (jinja::is_val<jinja::value_kwarg>(a)) return false;
  if (const auto* undefined = dynamic_cast<const jinja::value_undefined_t*>(&one)) {
    return undefined->hint == static_cast<const jinja::value_undefined_t&>(other).hint;
  }
  if (one.val_func || other.val_func) return same_function(one, other);
  if (const auto* object = dynamic_cast<const jinja::value_object_t*>(&one)) {
    if (object->has_builtins != static_cast<const jinja::value_object_t&>(other).has_builtins) return false;
  }
  return same_parts(one.val_str, other.val_str) && std::ranges::equal(one.val_arr, other.val_arr, same) &&
         same_members(one.val_obj, other.val_obj);
}

bool same_members(const ValueMembers& a, const ValueMembers& b) {
  return std::ranges::equal(
      a, b, [](const auto& x, const auto& y) { return same(x.first, y.first) && same(x.second, y.second); });
}

size_t common_items(const std::vector<jinja::value>& a, const std::vector<jinja::value>& b) {
  const size_t most = std::min(a.size(), b.size());
  size_t found = 0;
  while (found < most && same(a[found], b[found])) ++found;
  return found;
}

bool is_steady(const jinja::value& one) {
  return one->stats.used || (!is_list_or_object(one) && snapshot(one) != nullptr);
}

jinja::value snapshot(const jinja::value& one) {
  const auto any = [](const jinja::value&) { return true; };
  return snapshot(one, any);
}

jinja::value snapshot(const jinja::value& one, FunctionRef<bool(const jinja::value&)> may_copy) {
  int left = kMostCopied;
  return copy_of(one, may_copy, 0, left);
}

}  // namespace lh
