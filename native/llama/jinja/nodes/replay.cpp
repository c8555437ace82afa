#include "llama/jinja/nodes/replay.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "llama/jinja/nodes/budget.h"
#include "llama/jinja/nodes/changes.h"
#include "llama/jinja/nodes/recorder.h"
#include "llama/jinja/nodes/variables.h"

namespace lh {
namespace {

using jinja::is_val;
using Value = jinja::value;

constexpr size_t kMostBegun = 64;  // items of a list that the tape keeps from the beginning of the loop

bool is_list(const Value& one) { return one != nullptr && is_val<jinja::value_array>(one); }

// The variable before the loop. Null if it cannot be copied, or would keep much alive.
Value snapshot_of(const Value& held) {
  const auto is_given = [](const Value& item) { return item->stats.used; };
  if (is_list(held) && !is_val<jinja::value_tuple>(held) && std::ranges::all_of(held->val_arr, is_given)) {
    return held->stats.used ? held : Value(jinja::mk_val<jinja::value_array>(held->val_arr));
  }
  const bool large = held->val_arr.size() > kMostBegun || held->val_obj.size() > kMostBegun;
  return large ? Value() : snapshot(held);
}

jinja::value_object snapshots_of(jinja::context& scope) {
  auto copies = jinja::mk_val<jinja::value_object>();
  copies->has_builtins = false;
  for (const auto& [name, held] : variables_of(scope)->val_obj) copies->val_obj.emplace_back(name, snapshot_of(held));
  return copies;
}

}  // namespace

Replay::Replay(const Tape& tape, const LoopRun& loop)
    : tape_(tape),
      loop_(loop),
      common_(common_items(tape, loop.items)),
      begun_(snapshots_of(loop.scope)),
      scans_(tape, loop) {}

// True if the member can be set: its object belongs to one variable, and no other has it. Writes are copies, so that
// replayed iterations give the object no other name.
bool Replay::has_place(const Write& write) {
  if (write.member == nullptr || std::ranges::find(placed_, write.name) != placed_.end()) return true;
  const Value object = held_now(write.name);
  if (object == nullptr || !is_val<jinja::value_object>(object) || object->stats.used) return false;
  if (has_other_names(variables_of(loop_.scope)->val_obj, write.name, object)) return false;
  placed_.push_back(write.name);
  return true;
}

size_t Replay::alike(const Reads& reads, const Value& name) const {
  if (name == loop_.item_name) return ListReach::kAll;  // the items are the same
  if (name == loop_.loop_name || tape_.begun == nullptr) return 0;
  const Value* const then = find_variable(*tape_.begun, name);
  const Value* const now = find_variable(*begun_, name);
  if (then == nullptr || now == nullptr) return then == now ? ListReach::kAll : 0;
  if (*then == nullptr || *now == nullptr) return 0;
  if (same(*then, *now)) return ListReach::kAll;
  const bool items_alone = std::ranges::find(reads.lists, name) != reads.lists.end();
  return items_alone && is_list(*then) && is_list(*now) ? common_items((*then)->val_arr, (*now)->val_arr) : 0;
}

size_t Replay::alike(const Reads& reads) const {
  size_t least = ListReach::kAll;
  for (const Value& name : reads.names) least = std::min(least, alike(reads, name));
  return least;
}

bool Replay::follows(const Fact& fact) {
  if (!following_) return false;
  std::optional<size_t>& known = alike_[fact.expression];
  if (!known) known = alike(fact.expression->reads());
  return fact.reach <= *known && *known > 0;
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
  } catch (const std::exception&) {  // the iteration reports that
    return false;
  } catch (const Recorder::Refused&) {
    return false;
  }
}

bool Replay::holds(size_t i, const Fact& fact) {
  if (fact.kind == Fact::Kind::kExpression) return has_value(i, fact);
  if (fact.name == loop_.item_name || fact.name == loop_.loop_name) begin(i, nullptr);
  if (fact.kind == Fact::Kind::kScan) {
    const auto begin_it = [&] { begin(i, nullptr); };
    return scans_.find_nothing(fact, loop_.items[i], held_now(fact.name), begin_it);
  }
  const Value list = held_now(fact.name);
  if (!is_list(list)) return false;
  const std::vector<Value>& items = list->val_arr;
  if (fact.kind == Fact::Kind::kAtLeast) return items.size() >= fact.number;
  if (fact.held == nullptr) return fact.number >= items.size();
  return fact.number < items.size() && same(items[fact.number], fact.held);
}

bool Replay::has_value(size_t i, const Fact& fact) {
  const Reads& reads = fact.expression->reads();
  if (reads.last && tape_.records[i]->last != (i + 1 == loop_.items.size())) return false;
  if (follows(fact)) return true;
  begin(i, &reads.names);
  const ListReach reach;
  if (!same(fact.expression->again(loop_.scope), fact.held)) return false;
  fact.reach = std::max(fact.reach, reach.items());  // other variables may be another reason for the same value
  return true;
}

void Replay::apply(size_t i) {
  ++changes().all;
  for (const Write& write : tape_.records[i]->writes) {
    if (write.member == nullptr) std::erase(placed_, write.name);
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
  scans_.forget_lists();
}

}  // namespace lh
