#include "llama/jinja/operations.h"

#include <algorithm>
#include <cstdlib>

#include "llama/jinja/nodes/changes.h"
#include "llama/jinja/nodes/recorder.h"
#include "llama/jinja/values.h"

namespace lh {
namespace {

// The largest number: with larger ones, the interpreter's counters overflow, and its loops do not end.
constexpr int64_t kLargestNumber = int64_t{1} << 53;

void spend_membership(const jinja::value& needle, const jinja::value& all, TemplateBudget& budget) {
  if (!all->val_str.parts.empty()) return spend_search(text_bytes(*all), text_bytes(*needle), budget);
  if (is_container(*needle)) {
    const Weight each = weigh(needle, budget);
    static_cast<void>(weigh(all, budget));
    budget.spend(all->val_arr.size() * (each.values / 16 + each.bytes / 1024));
    return;
  }
  uint64_t bytes = text_bytes(*needle) * all->val_arr.size();
  for (const jinja::value& one : all->val_arr) bytes += text_bytes(*one) + 16;
  budget.spend_bytes(bytes);
}

}  // namespace

void spend_search(uint64_t text, uint64_t needle, TemplateBudget& budget) {
  budget.spend((text + (text >> 3) * (needle >> 3)) >> 10);
}

void check_binary(const std::string& op, const jinja::value& left, const jinja::value& right, TemplateBudget& budget) {
  if (op == "and" || op == "or") return;
  if (op == "in" || op == "not in") return spend_membership(left, right, budget);
  const bool two_containers = is_container(*left) && is_container(*right);
  if (op == "==" || op == "!=") {
    if (!two_containers) return;
    static_cast<void>(weigh(left, budget));
    static_cast<void>(weigh(right, budget));
    return;
  }
  if (op == "*") {
    const bool text_first = !left->val_str.parts.empty();
    const jinja::value& text = text_first ? left : right;
    const jinja::value& times = text_first ? right : left;
    if (text->val_str.parts.empty() || !times->is_numeric()) return;
    const double each = static_cast<double>(text_bytes(*text) + kPartBytes * text->val_str.parts.size());
    const double bytes = each * static_cast<double>(std::max<int64_t>(0, times->val_int));
    budget.check_room(bytes);
    return budget.spend_bytes(static_cast<uint64_t>(bytes));
  }
  if (op != "+" && op != "~") return;
  if (two_containers && op == "+") {
    const uint64_t members = left->val_arr.size() + right->val_arr.size();
    budget.check_room(static_cast<double>(members * sizeof(jinja::value)));
    return budget.spend(members >> 4);
  }
  const Weight one = is_container(*left) ? weigh(left, budget) : Weight{1, text_bytes(*left), 1};
  const Weight other = is_container(*right) ? weigh(right, budget) : Weight{1, text_bytes(*right), 1};
  budget.check_room(static_cast<double>(one.bytes + other.bytes + 8 * (one.values + other.values)));
}

void check_name(const jinja::value& name, TemplateBudget& budget) {
  if (is_container(*name)) static_cast<void>(weigh(name, budget));
}

void check_step(const jinja::value& step) {
  if (std::abs(static_cast<double>(step->val_int)) > static_cast<double>(kLargestNumber) && step->is_numeric()) {
    throw jinja::raised_exception("a step is too large");
  }
}

void check_new_member(const jinja::value& object, const jinja::value& member, bool known, TemplateBudget& budget) {
  budget.spend(object->val_obj.size() / 16);
  if (const Recorder* const recorder = Recorder::current()) recorder->check_change(object);
  note_new_member(object);
  if (!known) return;
  check_member(member);
  if (nests(member)) budget.keep(object);
}

void keep_if_nested(const jinja::value& made, TemplateBudget& budget) {
  bool nested = false;
  const auto look = [&](const jinja::value& member) {
    check_member(member);
    nested = nested || nests(member);
  };
  for (const jinja::value& member : made->val_arr) look(member);
  for (const auto& [key, member] : made->val_obj) {
    look(key);
    look(member);
  }
  if (nested) budget.keep(made);
}

}  // namespace lh
