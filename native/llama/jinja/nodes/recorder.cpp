#include "llama/jinja/nodes/recorder.h"

#include <algorithm>
#include <utility>

#include "llama/jinja/nodes/changes.h"
#include "llama/jinja/nodes/variables.h"

namespace lh {
namespace {

using jinja::is_val;
using Value = jinja::value;

constexpr size_t kMostFacts = 64;     // of an iteration
constexpr size_t kMostMade = 10'000;  // lists and objects of an iteration
constexpr size_t kRecordBytes = 600;  // of an iteration, with its item, without its text
constexpr size_t kFactBytes = 120;    // of a fact or a write
constexpr size_t kCopiedBytes = 300;  // of a value in a copy

// The bytes of a value, without those that the template was given.
size_t bytes_of(const Value& held) {
  if (held == nullptr || held->stats.used) return 0;
  size_t bytes = kCopiedBytes;
  for (const jinja::string_part& part : held->val_str.parts) bytes += part.val.size();
  for (const Value& item : held->val_arr) bytes += bytes_of(item);
  for (const auto& [key, member] : held->val_obj) bytes += kCopiedBytes + bytes_of(member);
  return bytes;
}

// The bytes of a value.
size_t weight_of(const Value& item) {
  size_t bytes = kCopiedBytes;
  for (const jinja::string_part& part : item->val_str.parts) bytes += part.val.size();
  for (const Value& one : item->val_arr) bytes += weight_of(one);
  for (const auto& [key, member] : item->val_obj) bytes += kCopiedBytes + weight_of(member);
  return bytes;
}

size_t bytes_of(const std::shared_ptr<const Scan>& scan) {
  size_t bytes = 0;
  if (scan != nullptr) {
    for (const auto& [name, held] : scan->made) bytes += bytes_of(held);
  }
  return bytes;
}

thread_local Recorder* current_recorder = nullptr;

}  // namespace

void note_change(const Value& container) {
  note_new_member(container);
  if (current_recorder != nullptr) current_recorder->changes(container);
}

Recorder::Recorder(jinja::context& scope, Value name, Value item, Value loop, Record& record, Tape& tape, bool strict)
    : outer_(std::exchange(current_recorder, this)),
      variables_(variables_of(scope)),
      name_(std::move(name)),
      item_(std::move(item)),
      loop_(std::move(loop)),
      record_(record),
      tape_(tape),
      strict_(strict) {}

Recorder::~Recorder() { current_recorder = outer_; }

Recorder* Recorder::current() { return current_recorder; }

void Recorder::give_up() {
  if (strict_) throw Refused();
  record_.reusable = false;
}

bool Recorder::is_outer(const Value& name, const Value& held) const {
  if (std::ranges::find(written_, name) != written_.end()) return false;
  const Value* const begun = find_variable(*variables_, name);
  return begun == nullptr ? held == nullptr : *begun == held;
}

bool Recorder::has_changed(const Value& object) const {
  return std::ranges::find(fields_, object, &Field::object) != fields_.end();
}

// The container may hold an object that has changed.
bool Recorder::may_hold_changed(const Value& container) const {
  if (fields_.empty() || container->stats.used || !is_list_or_object(container)) return false;
  const auto is_open = [](const Value& one) { return !one->stats.used && is_list_or_object(one); };
  return std::ranges::any_of(container->val_arr, is_open) ||
         std::ranges::any_of(container->val_obj, [&](const auto& member) { return is_open(member.second); });
}

Recorder::Source Recorder::source_of(const Reads& reads, const Value& name, const Value& held) {
  if (held != nullptr && held == loop_) return Source::kOuter;
  if (!is_outer(name, held)) return Source::kOwn;
  if (held == nullptr) return Source::kOuter;
  if (has_changed(held)) {
    if (reads.is_name) give_up();
    if (reads.member == nullptr || reads.variable != name) return Source::kMixed;
    if (held->get_builtins().contains(reads.member->as_string().str()))
      return Source::kMixed;  // a function hides the member
    const auto is_this = [&](const Field& one) { return one.object == held && one.member == reads.member; };
    return std::ranges::any_of(fields_, is_this) ? Source::kOwn : Source::kOuter;
  }
  if (may_hold_changed(held)) give_up();
  return Source::kOuter;
}

// A name of an inner scope may hide a variable with the same value, so that there an expression of several names is not
// the same as in the loop's scope.
Recorder::Source Recorder::source_of(const Reads& reads, jinja::context& scope) {
  static const auto& loop_name = *new Value(text_value("loop"));
  bool own = false;
  bool outer = false;
  if (reads.place || reads.last) {
    const Value* const loop = find_variable(scope, loop_name);
    own = loop == nullptr || *loop != loop_;  // of a loop within the iteration
    outer = reads.last && !own;
  }
  for (const Value& name : reads.names) {
    const Value* const found = find_variable(scope, name);
    const Value held = found == nullptr ? Value() : *found;
    if (name == name_ && held == item_) continue;
    const Source source = source_of(reads, name, held);
    if (source == Source::kMixed) return source;
    outer = outer || source == Source::kOuter;
    own = own || source == Source::kOwn;
  }
  if (!outer) return Source::kOwn;
  const bool several = reads.names.size() + (reads.place || reads.last ? 1 : 0) > 1;
  return own || (several && variables_of(scope) != variables_) ? Source::kMixed : Source::kOuter;
}

void Recorder::add(Fact fact) {
  if (strict_) throw Refused();
  if (record_.facts.size() == kMostFacts) return give_up();
  record_.facts.push_back(std::move(fact));
}

void Recorder::NamesRead::add(const Reads& reads) {
  of_loop = of_loop || reads.place || reads.last;
  for (const Value& name : reads.names) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

bool Recorder::note(const Repeatable& node, const Value& made, size_t reach) {
  if (std::ranges::find(record_.facts, &node, &Fact::expression) != record_.facts.end()) return true;
  Fact fact{.kind = Fact::Kind::kExpression, .expression = &node, .held = snapshot(made), .reach = reach};
  if (fact.held == nullptr) return false;
  add(std::move(fact));
  return true;
}

void Recorder::note_element(const Value& name, const Value& list, size_t place) {
  const auto is_same = [&](const Fact& one) {
    return one.kind == Fact::Kind::kElement && one.number == place && one.name == name;
  };
  if (std::ranges::any_of(record_.facts, is_same)) return;
  Fact fact{.kind = Fact::Kind::kElement, .name = name, .number = place};
  if (place < list->val_arr.size()) {
    fact.held = snapshot(list->val_arr[place]);
    if (fact.held == nullptr) return give_up();
  }
  add(std::move(fact));
}

void Recorder::note_member(const Value& name, const Value& object, const Value& place, const Repeatable& node) {
  if (quiet_ > 0 || (name == name_ && object == item_) || !is_outer(name, object)) return;
  if (is_val<jinja::value_array>(object) && is_val<jinja::value_int>(place) && place->as_int() >= 0) {
    return note_element(name, object, static_cast<size_t>(place->as_int()));
  }
  if (has_changed(object) || may_hold_changed(object) || !note(node, object)) give_up();
}

void Recorder::note_at_least(const Value& name, const Value& list, size_t items) {
  if (quiet_ > 0 || !is_outer(name, list)) return;
  add({.kind = Fact::Kind::kAtLeast, .name = name, .number = items});
}

// The scan is tried again in the loop's scope, with copies of the variables that the iteration has set.
bool Recorder::note_scan(const Value& name, const Value& list, Scan scan, jinja::context& scope, Mark begun) {
  if (quiet_ > 0) return true;
  if (mark() != begun || !fields_.empty()) return false;
  const auto known = std::ranges::find(tape_.lists, name, &ValueMembers::value_type::first);
  if (known == tape_.lists.end()) {
    Value kept = list->stats.used ? list : Value(jinja::mk_val<jinja::value_array>(list->val_arr));
    if (!std::ranges::all_of(list->val_arr, is_steady)) return false;
    tape_.lists.emplace_back(name, std::move(kept));
  } else if (known->second->val_arr != list->val_arr) {
    return false;
  }
  std::unordered_set<const jinja::value_t*> copied;
  const auto may_copy = [&](const Value& one) { return is_own(one) && copied.insert(one.get()).second; };
  const auto is_hidden = [&](const Value& variable) {
    const Value* const here = find_variable(scope, variable);
    const Value* const there = find_variable(*variables_, variable);
    return here == nullptr || there == nullptr || *here != *there;
  };
  if (is_hidden(name_)) return false;
  for (const Value& variable : written_) {
    const Value* const written = find_variable(*variables_, variable);
    Value made = written == nullptr ? Value() : snapshot(*written, may_copy);
    if (made == nullptr || is_hidden(variable)) return false;
    scan.made.emplace_back(variable, std::move(made));
  }
  add({.kind = Fact::Kind::kScan, .name = name, .scan = std::make_shared<const Scan>(std::move(scan))});
  return true;
}

void Recorder::set(jinja::context& scope, const Value& name) {
  ++sets_;
  if (variables_of(scope) != variables_) return;
  if (std::ranges::find(written_, name) == written_.end()) written_.push_back(name);
}

// If another variable refers to the object, the write would have another effect in a rendering where that variable
// refers to another object.
void Recorder::set_member(const Value& name, const Value& object, const Value& member) {
  if (is_own(object)) return;
  if (name == nullptr || object == item_ || object == loop_ || object->stats.used || !is_outer(name, object)) {
    return give_up();
  }
  if (strict_ || has_other_names(variables_->val_obj, name, object)) return give_up();
  const auto is_same = [&](const Field& one) { return one.object == object && one.member == member; };
  if (std::ranges::none_of(fields_, is_same)) fields_.push_back({name, object, member});
}

void Recorder::changes(const Value& container) {
  if (!is_own(container)) give_up();
}

bool Recorder::is_own(const Value& container) const {
  const auto found = made_.find(container.get());
  return found != made_.end() && !found->second.expired();
}

void Recorder::made(const Value& container) {
  if (!is_list_or_object(container)) return;
  if (made_.size() == kMostMade) return give_up();
  made_[container.get()] = container;
}

// A container with several references cannot be replaced by a copy.
void Recorder::keep(const Value& name, const Value& member, const Value& written) {
  const auto may_copy = [this](const Value& one) { return is_own(one) && kept_.insert(one.get()).second; };
  Value held = snapshot(written, may_copy);
  if (held == nullptr) return give_up();
  record_.writes.push_back({name, member, std::move(held)});
}

void Recorder::end(bool continued) {
  record_.continued = continued;
  keep_changes();
  record_.bytes = kRecordBytes + weight_of(item_);
  for (const Fact& fact : record_.facts) record_.bytes += kFactBytes + bytes_of(fact.held) + bytes_of(fact.scan);
  for (const Write& write : record_.writes) record_.bytes += kFactBytes + bytes_of(write.held);
}

void Recorder::keep_changes() {
  for (const Value& name : written_) {
    const Value* const written = find_variable(*variables_, name);
    if (written == nullptr) return give_up();
    keep(name, nullptr, *written);
  }
  for (const Field& field : fields_) {
    const auto& members = static_cast<const jinja::value_object_t&>(*field.object).unordered;
    const auto written = members.find(field.member);
    const bool renamed = std::ranges::find(written_, field.variable) != written_.end();
    if (renamed || written == members.end()) return give_up();
    keep(field.variable, field.member, written->second);
  }
}

}  // namespace lh
