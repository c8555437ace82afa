#include "llama/jinja/values.h"

#include <algorithm>
#include <utility>

#include "base/json/python_json.h"

namespace lh {
namespace {

constexpr uint64_t kWatched = 512;     // bytes from which on a value is watched
constexpr uint32_t kDeepestMade = 64;  // of values that only the counted value holds

uint64_t size_of(const jinja::value_t& value) {
  return kValueBytes + text_bytes(value) + kPartBytes * value.val_str.parts.size() +
         sizeof(jinja::value) * value.val_arr.size() + 128 * value.val_obj.size();
}

void weigh_into(const jinja::value& value, TemplateBudget& budget, uint32_t depth, Weight& sum) {
  if (depth > kDeepestValue) {
    TemplateBudget::stop("the chat template nests values more than " + std::to_string(kDeepestValue) +
                         " deep, or has one that contains itself");
  }
  if ((++sum.values & 15) == 0) budget.spend(1);
  sum.depth = std::max(sum.depth, depth);
  sum.bytes += text_bytes(*value);
  for (const jinja::value& member : value->val_arr) weigh_into(member, budget, depth + 1, sum);
  for (const auto& [key, member] : value->val_obj) {
    weigh_into(key, budget, depth + 1, sum);
    weigh_into(member, budget, depth + 1, sum);
  }
  if (value->val_func == nullptr) return;
  const auto* function = dynamic_cast<const jinja::value_func_t*>(value.get());
  if (function != nullptr && function->arg0) weigh_into(function->arg0, budget, depth + 1, sum);
}

uint64_t count_into(const jinja::value& value, TemplateBudget& budget, uint32_t depth) {
  uint64_t bytes = size_of(*value);
  const auto add = [&](const jinja::value& member, int references) {
    if (member.use_count() <= references && depth < kDeepestMade) bytes += count_into(member, budget, depth + 1);
  };
  for (const jinja::value& member : value->val_arr) add(member, 1);
  for (const auto& [key, member] : value->val_obj) {  // an object refers to each member twice
    add(key, 2);
    add(member, 2);
  }
  if (bytes < kValueBytes + kWatched) return bytes;
  budget.watch(value, bytes);
  return 0;
}

}  // namespace

Weight weigh(const jinja::value& value, TemplateBudget& budget) {
  Weight sum;
  weigh_into(value, budget, 1, sum);
  budget.spend_bytes(sum.bytes);
  return sum;
}

uint64_t printed_bytes(const jinja::value& value, TemplateBudget& budget) {
  if (!value->val_arr.empty()) {
    const Weight all = weigh(value, budget);
    return all.bytes + all.values * (kPartBytes + 32);
  }
  return text_bytes(*value) + kPartBytes * std::max<size_t>(1, value->val_str.parts.size());
}

jinja::value printed(jinja::value value) {
  if (value->is_none()) return jinja::mk_val<jinja::value_string>("None");
  if (!jinja::is_val<jinja::value_float>(value)) return value;
  return jinja::mk_val<jinja::value_string>(python_number(value->val_flt));
}

void count_made(const jinja::value& value, TemplateBudget& budget) {
  const uint64_t members = value->val_arr.size() + value->val_obj.size();
  if (members > 0) budget.spend(members >> 4);
  static_cast<void>(count_into(value, budget, 0));
}

void check_member(const jinja::value& value) {
  const auto* function = dynamic_cast<const jinja::value_func_t*>(value.get());
  if (function != nullptr && !function->arg0 && function->name == "caller") {
    throw jinja::raised_exception("a caller cannot be part of a list or an object");
  }
}

bool nests(const jinja::value& value) {
  return is_container(*value) || value->val_func != nullptr ||
         dynamic_cast<const jinja::value_kwarg_t*>(value.get()) != nullptr;
}

}  // namespace lh
