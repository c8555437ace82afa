#include "llama/jinja/nodes/scans.h"

#include <algorithm>
#include <utility>

#include "llama/jinja/nodes/nodes.h"
#include "llama/jinja/nodes/variables.h"

namespace lh {
namespace {

using jinja::is_val;
using Value = jinja::value;

constexpr size_t kMostTried = 16;

bool prints_nothing(const Value& printed) {
  if (printed->is_undefined()) return true;
  return is_val<jinja::value_string>(printed) && printed->val_str.parts.empty();
}

}  // namespace

bool Scans::find_nothing(const Fact& fact, const Value& item, const Value& now, FunctionRef<void()> begin) {
  const Scan& scan = *fact.scan;
  if (now == nullptr || !is_val<jinja::value_array>(now) || list_of(fact.name, now).common < scan.seen) return false;
  if (now->val_arr.size() > scan.seen && !was_tried(scan, item, now)) {
    begin();
    if (!try_now(scan, item, now)) return false;
  }
  scan.seen = now->val_arr.size();
  return true;
}

const Value* Scans::made_by(const Scan& scan, const Value& item, const Value& name) const {
  const auto found = std::ranges::find(scan.made, name, &ValueMembers::value_type::first);
  if (found != scan.made.end()) return &found->second;
  return name == loop_.item_name ? &item : nullptr;
}

bool Scans::was_tried(const Scan& scan, const Value& item, const Value& now) const {
  const auto has = [&](const auto& variable) {
    const auto& [name, then] = variable;
    const Value* const held = made_by(scan, item, name);
    return held != nullptr && same(*held, then);
  };
  return std::ranges::any_of(tried_, [&](const Tried& one) {
    return one.body == scan.body && one.list == now && one.seen == scan.seen && std::ranges::all_of(one.read, has);
  });
}

bool Scans::try_now(const Scan& scan, const Value& item, const Value& now) {
  const std::vector<Value>& all = now->val_arr;
  const std::vector<Value> items(all.begin() + static_cast<std::ptrdiff_t>(scan.begin), all.end());
  const Value loop = held_by(loop_.scope, loop_.loop_name);
  const InnerScope inner(loop_.scope);
  Record record;
  Tape tape;
  Recorder recorder(loop_.scope, nullptr, nullptr, loop, record, tape, true);
  for (const auto& [name, held] : scan.made) {
    const Value copy = snapshot(held);
    set_variable(loop_.scope, name, copy);
    recorder.set(loop_.scope, name);
    if (is_list_or_object(copy)) recorder.made(copy);
  }
  recorder.set(loop_.scope, scan.variable);
  recorder.set(loop_.scope, loop_.item_name);
  if (loop_.loop_members != 0) recorder.set(loop_.scope, loop_.loop_name);
  const Recorder::Mark begun = recorder.mark();
  for (size_t k = scan.seen - scan.begin; k < items.size(); ++k) {
    if (loop_.loop_members != 0) {
      set_variable(loop_.scope, loop_.loop_name, loop_value(loop_.loop_members, items, k));
    }
    set_variable(loop_.scope, scan.variable, items[k]);
    for (const jinja::statement_ptr& statement : *scan.body) {
      if (!prints_nothing(statement->execute(loop_.scope))) return false;
    }
    if (recorder.mark() != begun) return false;
  }
  const auto is_as_then = [this](const auto& one) { return same(held_by(loop_.scope, one.first), one.second); };
  if (!std::ranges::all_of(scan.made, is_as_then)) return false;
  keep(scan, item, now, recorder.names_read());
  return true;
}

// A strict recorder has let the scan read only the list's items, and variables that the iteration or the scan itself
// has set.
void Scans::keep(const Scan& scan, const Value& item, const Value& now, const Recorder::NamesRead& read) {
  const bool of_loop = std::ranges::find(read.names, loop_.loop_name) != read.names.end();
  if (read.of_loop || of_loop || tried_.size() == kMostTried) return;
  Tried tried{.body = scan.body, .list = now, .seen = scan.seen, .read = {}};
  for (const Value& name : read.names) {
    if (name == scan.variable) continue;
    const Value* const held = made_by(scan, item, name);
    if (held != nullptr) tried.read.emplace_back(name, *held);
  }
  tried_.push_back(std::move(tried));
}

const Scans::List& Scans::list_of(const Value& name, const Value& now) {
  for (const List& one : lists_) {
    if (one.name == name && one.now == now) return one;
  }
  List list{.name = name, .now = now};
  const auto known = std::ranges::find(tape_.lists, name, &ValueMembers::value_type::first);
  if (known != tape_.lists.end()) list.common = common_items(known->second->val_arr, now->val_arr);
  if (!std::ranges::all_of(now->val_arr, is_steady)) {
    list.common = 0;
    lists_.push_back(std::move(list));
    return lists_.back();
  }
  const auto first = std::ranges::find(looked_at_, name, &ValueMembers::value_type::first);
  if (first == looked_at_.end()) {
    const bool given = now->stats.used;
    looked_at_.emplace_back(name, given ? now : Value(jinja::mk_val<jinja::value_array>(now->val_arr)));
  } else if (first->second->val_arr != now->val_arr) {
    list.common = 0;  // the template has changed the list since
  }
  lists_.push_back(std::move(list));
  return lists_.back();
}

void Scans::carry_lists(Tape& tape) const {
  for (const auto& [name, list] : looked_at_) {
    const auto known = std::ranges::find(tape.lists, name, &ValueMembers::value_type::first);
    if (known != tape.lists.end() && known->second->val_arr != list->val_arr) {
      tape.records.clear();
    } else if (known == tape.lists.end()) {
      tape.lists.emplace_back(name, list);
    }
  }
}

}  // namespace lh
