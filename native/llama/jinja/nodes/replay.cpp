#include "llama/jinja/nodes/replay.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "llama/jinja/nodes/budget.h"
#include "llama/jinja/nodes/changes.h"
#include "llama/jinja/nodes/nodes.h"
#include "llama/jinja/nodes/recorder.h"
#include "llama/jinja/nodes/variables.h"

namespace lh {
namespace {

using jinja::is_val;
using Value = jinja::value;

constexpr size_t kMostBegun = 64;  // items of a list that the tape keeps from the beginning of the loop

Value held_by(jinja::context& scope, const Value& name) {
  const Value* const found = find_variable(scope, name);
  return found == nullptr ? Value() : *found;
}

bool is_known_list(const Value& one) { return one != nullptr && is_val<jinja::value_array>(one); }

// The variables by name; null for one that cannot be copied, or would keep much alive.
jinja::value_object snapshots_of(jinja::context& scope) {
  auto copies = jinja::mk_val<jinja::value_object>();
  copies->has_builtins = false;
  for (const auto& [name, held] : variables_of(scope)->val_obj) {
    const bool large = held->val_arr.size() > kMostBegun || held->val_obj.size() > kMostBegun;
    copies->val_obj.emplace_back(name, large ? Value() : snapshot(held));
  }
  return copies;
}

bool prints_nothing(const Value& printed) {
  if (printed->is_undefined()) return true;
  return is_val<jinja::value_string>(printed) && printed->val_str.parts.empty();
}

}  // namespace

Replay::Replay(const Tape& tape, const LoopRun& loop)
    : tape_(tape), loop_(loop), common_(common_items(tape, loop.items)), begun_(snapshots_of(loop.scope)) {}

// A member can be set if its object is a variable's, and no other variable has it. Writes are copies, so that replayed
// iterations give the object no other name.
bool Replay::has_place(const Write& write) {
  if (write.member == nullptr) return true;
  const Value object = held_now(write.name);
  if (object == nullptr || !is_val<jinja::value_object>(object) || object->stats.used) return false;
  const auto is_same = [&](const auto& one) { return one.first == write.name && one.second == object; };
  if (std::ranges::any_of(placed_, is_same)) return true;
  if (has_other_names(variables_of(loop_.scope)->val_obj, write.name, object)) return false;
  placed_.emplace_back(write.name, object);
  return true;
}

bool Replay::began_alike(const Value& name) const {
  if (name == loop_.item_name) return true;  // the items are the same
  if (name == loop_.loop_name || tape_.begun == nullptr) return false;
  const Value* const then = find_variable(*tape_.begun, name);
  const Value* const now = find_variable(*begun_, name);
  if (then == nullptr || now == nullptr) return then == now;
  return *then != nullptr && *now != nullptr && same(*then, *now);
}

bool Replay::follows(const Repeatable& expression) {
  if (!following_) return false;
  const auto known = followed_.find(&expression);
  if (known != followed_.end()) return known->second;
  const auto alike = [this](const Value& name) { return began_alike(name); };
  return followed_[&expression] = std::ranges::all_of(expression.reads().names, alike);
}

Value Replay::held_now(const Value& name) {
  const auto sets_it = [&](const Write* one) { return one->name == name && one->member == nullptr; };
  if (std::ranges::any_of(pending_, sets_it)) flush();
  return held_by(loop_.scope, name);
}

// Writes of replayed iterations may stay pending if nothing that is about to run reads them. Writes to the variables
// that this function sets are made before.
void Replay::begin(size_t i, const std::vector<Value>* reads) {
  const auto is_read = [&](const Write* one) {
    return one->name == loop_.item_name || one->name == loop_.loop_name ||
           std::ranges::find(*reads, one->name) != reads->end();
  };
  if (reads == nullptr || std::ranges::any_of(pending_, is_read)) flush();
  if (begun_item_ == i) return;
  begun_item_ = i;
  loop_.begin(i);
}

bool Replay::holds(size_t i) {
  const Record& record = *tape_.records[i];
  if (!record.reusable) return false;
  const TemplateBudget::Trial trial;
  try {
    return std::ranges::all_of(record.writes, [this](const Write& write) { return has_place(write); }) &&
           std::ranges::all_of(record.facts, [&](const Fact& fact) { return holds(i, fact); });
  } catch (const std::exception&) {  // the iteration says so
    return false;
  } catch (const Recorder::Refused&) {
    return false;
  }
}

bool Replay::holds(size_t i, const Fact& fact) {
  const bool expression = fact.kind == Fact::Kind::kExpression;
  if (expression) {
    if (follows(*fact.expression)) return true;
    begin(i, &fact.expression->reads().names);
    return same(fact.expression->again(loop_.scope), fact.held);
  }
  if (fact.kind == Fact::Kind::kScan || fact.name == loop_.item_name || fact.name == loop_.loop_name) begin(i, nullptr);
  if (fact.kind == Fact::Kind::kScan) return finds_nothing(fact);
  const Value list = held_now(fact.name);
  if (!is_known_list(list)) return false;
  const std::vector<Value>& items = list->val_arr;
  if (fact.kind == Fact::Kind::kAtLeast) return items.size() >= fact.number;
  if (fact.held == nullptr) return fact.number >= items.size();
  return fact.number < items.size() && same(items[fact.number], fact.held);
}

bool Replay::finds_nothing(const Fact& fact) {
  const Scan& scan = *fact.scan;
  const Value now = held_by(loop_.scope, fact.name);
  if (!is_known_list(now) || list_of(fact.name, now).common < scan.seen) return false;
  const std::vector<Value>& all = now->val_arr;
  if (all.size() == scan.seen) return true;
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
  scan.seen = all.size();
  return true;
}

const Replay::List& Replay::list_of(const Value& name, const Value& now) {
  for (const List& one : lists_) {
    if (one.name == name && one.now == now) return one;
  }
  List list{.name = name, .now = now};
  const auto known = std::ranges::find(tape_.lists, name, &ValueMembers::value_type::first);
  if (known != tape_.lists.end()) {
    const std::vector<Value>& before = known->second->val_arr;
    const size_t most = std::min(before.size(), now->val_arr.size());
    while (list.common < most && same(before[list.common], now->val_arr[list.common])) ++list.common;
  }
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

void Replay::apply(size_t i) {
  ++changes().all;
  for (const Write& write : tape_.records[i]->writes) {
    const auto same_place = [&](const Write* one) { return one->name == write.name && one->member == write.member; };
    const auto earlier = std::ranges::find_if(pending_, same_place);
    if (earlier == pending_.end()) {
      pending_.push_back(&write);
    } else {
      *earlier = &write;  // in its place: new members keep their order
    }
  }
}

void Replay::flush() {
  for (const Write* write : std::exchange(pending_, {})) {
    const Value held = snapshot(write->held);
    if (write->member == nullptr) {
      set_variable(loop_.scope, write->name, held);
      continue;
    }
    const Value object = held_by(loop_.scope, write->name);
    note_new_member(object);
    set_member(static_cast<jinja::value_object_t&>(*object), write->member, held);
  }
}

void Replay::stop_following() {
  flush();
  following_ = false;
  begun_item_.reset();
  placed_.clear();
  lists_.clear();
}

void Replay::carry_lists(Tape& tape) const {
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
