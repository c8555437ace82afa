#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "llama/jinja/nodes/changes.h"
#include "llama/jinja/nodes/given.h"
#include "llama/jinja/nodes/nodes.h"
#include "llama/jinja/nodes/place_sets.h"
#include "llama/jinja/nodes/recorder.h"
#include "llama/jinja/nodes/replay.h"
#include "llama/jinja/nodes/variables.h"

namespace lh {
namespace {

using jinja::cast_stmt;
using jinja::is_val;
using jinja::mk_val;
using Value = jinja::value;

constexpr size_t kFewestItems = 4;  // of a loop that is remembered

constexpr std::array<std::string_view, 9> kLoopMembers = {"index", "index0", "revindex", "revindex0", "first",
                                                          "last",  "length", "previtem", "nextitem"};

// The items of a loop, in its order.
std::vector<Value> items_of(const Value& through) {
  if (through->is_undefined()) return {};
  if (is_val<jinja::value_array>(through)) return through->as_array();
  if (!is_val<jinja::value_object>(through)) {
    throw std::runtime_error("Expected iterable or object type in for loop: got " + through->type());
  }
  std::vector<Value> items;
  for (const auto& member : through->as_ordered_object()) items.push_back(mk_val<jinja::value_tuple>(member));
  return items;
}

// The variables of a loop: one name for each item, or several for the members of each.
class LoopVariables {
 public:
  LoopVariables(const jinja::for_statement& node, const Known<jinja::for_statement>& known, bool keys)
      : keys_(keys), several_(cast_stmt<jinja::tuple_literal>(node.loopvar)), names_(known.variables) {}

  // Throws what llama.cpp throws before the first iteration.
  void check(const Value& item, const jinja::statement_ptr& names) const {
    if (several_ == nullptr) {
      if (!names_.front()) throw std::runtime_error("Invalid loop variable(s): " + names->type());
      return;
    }
    if (!is_val<jinja::value_array>(item)) {
      throw std::runtime_error("Cannot unpack non-iterable type: " + item->type());
    }
    const size_t members = item->as_array().size();
    if (names_.size() == members) return;
    throw std::runtime_error(std::string("Too ") + (names_.size() > members ? "few" : "many") + " items to unpack");
  }

  // The item as the next iteration sees it in `loop`.
  [[nodiscard]] Value shown(const Value& item) const {
    return several_ == nullptr && keys_ ? item->as_array()[0] : item;
  }

  // The value of the only variable; null if there are several.
  [[nodiscard]] Value only(const Value& item) const { return several_ == nullptr ? shown(item) : Value(); }

  void set(jinja::context& scope, const Value& item) const {
    if (several_ == nullptr) return set_variable(scope, names_[0], shown(item));
    const std::vector<Value>& members = item->as_array();
    for (size_t i = 0; i < names_.size(); ++i) {
      if (!names_[i]) throw std::runtime_error("Cannot unpack non-identifier type: " + several_->val[i]->type());
      set_variable(scope, names_[i], members[i]);
    }
  }

 private:
  const bool keys_;
  const jinja::tuple_literal* const several_;
  const std::vector<Value>& names_;
};

const std::array<Value, kLoopMembers.size()>& loop_names() {
  static const auto* const names = [] {
    auto* made = new std::array<Value, kLoopMembers.size()>;  // never destroyed: threads may outlive static teardown
    for (size_t i = 0; i < made->size(); ++i) (*made)[i] = text_value(std::string(kLoopMembers[i]));
    return made;
  }();
  return *names;
}

// An iteration that has printed and changed nothing, and has not read the loop's variables, is like all that follow it.
class Iteration {
 public:
  Iteration() : outer_(std::exchange(innermost, this)) {}
  ~Iteration() { innermost = outer_; }
  Iteration(const Iteration&) = delete;
  Iteration& operator=(const Iteration&) = delete;

  // `item`: the loop's variable; null if it has several.
  void begin(const Value& item, const Value& loop, const jinja::value_string_t& text) {
    item_ = item.get();
    loop_ = loop.get();
    numbers_.clear();
    begun_ = true;
    begin_rest(text);
  }

  // A variable has got a number for the place of the item. What follows is the iteration as far as it can differ.
  void pass(const Value& number, const jinja::value_string_t& text) {
    numbers_.push_back(number.get());
    begin_rest(text);
  }

  [[nodiscard]] bool settled(const jinja::value_string_t& text) const {
    return begun_ && !read_ && changes().all == changes_ && text.val_str.parts.size() == parts_;
  }

  // True if the loop has read how many items follow.
  [[nodiscard]] bool looks_ahead() const { return looks_ahead_; }
  static void note_ahead(const Value& loop) {
    for (Iteration* one = innermost; one != nullptr; one = one->outer_) {
      if (loop.get() == one->loop_) one->looks_ahead_ = true;
    }
  }

  static void note_read(const Value& variable) {
    for (Iteration* one = innermost; one != nullptr; one = one->outer_) {
      if (one->is_own(variable.get())) one->read_ = true;
    }
  }

 private:
  static thread_local Iteration* innermost;

  void begin_rest(const jinja::value_string_t& text) {
    read_ = item_ == nullptr;
    parts_ = text.val_str.parts.size();
    changes_ = changes().all;
  }
  // True for a variable that another iteration has with another value.
  [[nodiscard]] bool is_own(const jinja::value_t* variable) const {
    return variable == item_ || variable == loop_ || std::ranges::find(numbers_, variable) != numbers_.end();
  }

  Iteration* const outer_;
  const jinja::value_t* item_ = nullptr;
  const jinja::value_t* loop_ = nullptr;
  std::vector<const jinja::value_t*> numbers_;  // that follow from the place
  size_t parts_ = 0;
  uint64_t changes_ = 0;
  bool read_ = false;
  bool begun_ = false;
  bool looks_ahead_ = false;
};
thread_local Iteration* Iteration::innermost = nullptr;

// A loop that runs.
class Loop {
 public:
  Loop(const jinja::for_statement& node, const Known<jinja::for_statement>& known, jinja::context& scope,
       const LoopVariables& variables, const std::vector<Value>& items, jinja::value_string& text)
      : node_(node), known_(known), scope_(scope), variables_(variables), items_(items), text_(text) {
    if (known.loop->read == 0) return;
    for (const Value& item : items) shown_.push_back(variables.shown(item));
  }

  void run() {
    for (size_t i = 0; i < items_.size() && !iteration_.settled(*text_); ++i) {
      begin(i);
      if (iterate(i) == End::kBroken) return;
    }
  }

  // Runs as run() does, but takes iterations that would print and change the same from an earlier rendering.
  void run_again(const GivenValues& given) {
    const Tape before = known_.memory->take(items_);
    const auto set = [this](size_t i) { begin(i); };
    const LoopRun run{scope_, items_, set, known_.variables.front(), known_.loop_name, known_.loop->read};
    Replay replay(before, run);
    Tape tape{.begun = replay.begun(), .spoiled = given.spoiled()};
    for (size_t i = 0; i < items_.size() && !iteration_.settled(*text_); ++i) {
      if (given.are_whole() && i < replay.common() && replay.holds(i)) {
        replay.apply(i);
        tape.add(with_item(before.records[i], items_[i]));
        add_text(tape.records.back()->printed, text_);
        iterated_ = iterated_ || !tape.records.back()->continued;
        continue;
      }
      replay.stop_following();
      begin(i);
      if (tape.is_full() || !given.are_whole()) {
        if (iterate(i) == End::kBroken) break;
        continue;
      }
      auto record = std::make_shared<Record>();
      const End end = record_iteration(i, *record, tape);
      tape.add(std::move(record));
      if (end == End::kBroken) break;
    }
    replay.flush();
    const bool shorter = before.records.size() > tape.records.size() && replay.common() == items_.size();
    if (!given.are_whole()) return;
    if (!shorter) replay.carry_lists(tape);
    known_.memory->keep(shorter ? before : std::move(tape));
  }

  [[nodiscard]] bool iterated() const { return iterated_; }
  [[nodiscard]] LoopEnd end() const { return {reached_, broken_, iteration_.looks_ahead()}; }

 private:
  enum class End : uint8_t { kWhole, kContinued, kBroken };

  void begin(size_t i) {
    loop_ = known_.loop->read == 0 ? Value() : loop_value(known_.loop->read, shown_, i);
    if (loop_) set_variable(scope_, known_.loop_name, loop_);
    variables_.set(scope_, items_[i]);
  }

  // Runs the body for the item, for which the variables are set.
  End iterate(size_t i) {
    reached_ = i + 1;
    iteration_.begin(variables_.only(items_[i]), loop_, *text_);
    try {
      for (size_t k = 0; k < node_.body.size(); ++k) {
        add_text(node_.body[k]->execute(scope_), text_);
        if (k < known_.place_sets.size()) iteration_.pass(*find_variable(scope_, known_.place_sets[k]), *text_);
      }
    } catch (const jinja::continue_statement::signal&) {
      return End::kContinued;
    } catch (const jinja::break_statement::signal&) {
      broken_ = true;
      return End::kBroken;
    }
    iterated_ = true;
    return End::kWhole;
  }

  End record_iteration(size_t i, Record& record, Tape& tape) {
    record.item = items_[i];
    record.last = i + 1 == items_.size();
    auto& parts = text_->val_str.parts;
    const size_t before = parts.size();
    Recorder recorder(scope_, known_.variables.front(), items_[i], loop_, record, tape);
    const End end = iterate(i);
    recorder.end(end == End::kContinued);
    if (end == End::kBroken) recorder.give_up();
    auto printed = mk_val<jinja::value_string>();
    for (size_t k = before; k < parts.size(); ++k) record.bytes += sizeof(parts[k]) + parts[k].val.size();
    printed->val_str.parts.assign(parts.begin() + static_cast<std::ptrdiff_t>(before), parts.end());
    record.printed = std::move(printed);
    return end;
  }

  const jinja::for_statement& node_;
  const Known<jinja::for_statement>& known_;
  jinja::context& scope_;
  const LoopVariables& variables_;
  const std::vector<Value>& items_;
  jinja::value_string& text_;
  std::vector<Value> shown_;
  Iteration iteration_;
  Value loop_;
  size_t reached_ = 0;
  bool iterated_ = false;
  bool broken_ = false;
};

}  // namespace

Value loop_value(uint32_t read, const std::vector<Value>& items, size_t i) {
  const auto number = [](size_t n) { return mk_val<jinja::value_int>(static_cast<int64_t>(n)); };
  const auto member = [&](size_t which) -> Value {
    switch (which) {
      case 0: return number(i + 1);
      case 1: return number(i);
      case 2: return number(items.size() - i);
      case 3: return number(items.size() - i - 1);
      case 4: return mk_val<jinja::value_bool>(i == 0);
      case 5: return mk_val<jinja::value_bool>(i + 1 == items.size());
      case 6: return number(items.size());
      case 7: return i > 0 ? items[i - 1] : mk_val<jinja::value_undefined>("previtem");
      default: return i + 1 < items.size() ? items[i + 1] : mk_val<jinja::value_undefined>("nextitem");
    }
  };
  auto loop = mk_val<jinja::value_object>();
  loop->has_builtins = false;
  for (size_t which = 0; which < kLoopMembers.size(); ++which) {
    if ((read >> which & 1U) == 0) continue;
    loop->val_obj.emplace_back(loop_names()[which], member(which));
    if ((read & LoopMembers::kAll) == LoopMembers::kAll) {
      loop->unordered.emplace(loop->val_obj.back());  // else only `loop.NAME` is read
    }
  }
  return loop;
}

void note_read(const jinja::value& variable) { Iteration::note_read(variable); }
void note_ahead(const jinja::value& loop) { Iteration::note_ahead(loop); }

void LoopMembers::add(const std::string& name) {
  const auto found = std::ranges::find(kLoopMembers, name);
  read |= found == kLoopMembers.end() ? kAny : 1U << (found - kLoopMembers.begin());
}

Known<jinja::for_statement>::Known(const jinja::for_statement& node, const NodeContext& context)
    : loop(context.loop),
      names(context.names),
      loop_name(context.names->of("loop")),
      place_sets(lh::place_sets(node, *context.names)) {
  const auto add = [&](const jinja::statement_ptr& name) {
    const auto* one = cast_stmt<jinja::identifier>(name);
    variables.push_back(one == nullptr ? Value() : context.names->set_by_program(one->val));
  };
  if (const auto* several = cast_stmt<jinja::tuple_literal>(node.loopvar)) {
    for (const jinja::statement_ptr& name : several->val) add(name);
  } else {
    add(node.loopvar);
  }
  if (cast_stmt<jinja::select_expression>(node.iterable) != nullptr || variables.size() != 1 || !variables.front()) {
    return;
  }
  source = LoopSource(node.iterable, *context.names);
}

jinja::value run_node(const jinja::for_statement& node, const Known<jinja::for_statement>& known,
                      jinja::context& scope) {
  if (scope.is_get_stats) return node.jinja::for_statement::execute_impl(scope);
  auto text = mk_val<jinja::value_string>();
  Recorder* const recorder = Recorder::current();
  bool iterated = false;
  {
    const InnerScope inner(scope);
    const auto* select = cast_stmt<jinja::select_expression>(node.iterable);
    if (recorder != nullptr) recorder->claim(known.source.node);
    const Value through = (select == nullptr ? node.iterable : select->lhs)->execute(scope);
    std::vector<Value> items = items_of(through);
    const LoopVariables variables(node, known, is_val<jinja::value_object>(through));
    const auto keeps = [&](const Value& item) {
      variables.check(item, node.loopvar);
      if (select == nullptr) return true;
      const InnerScope test(scope);
      variables.set(scope, item);
      return select->test->execute(scope)->as_bool();
    };
    std::erase_if(items, [&](const Value& item) { return !keeps(item); });
    const Value source = recorder == nullptr ? Value() : known.source.outer_value(*recorder, scope);
    const Recorder::Mark begun = recorder == nullptr ? Recorder::Mark() : recorder->mark();
    Loop loop(node, known, scope, variables, items, text);
    // A list or object that the template has made may change after the loop, so it cannot be an item of a remembered
    // loop.
    const auto stays = [](const Value& item) {
      return item->stats.used || item->is_numeric() || is_val<jinja::value_string>(item);
    };
    const bool remembers = recorder == nullptr && std::ranges::all_of(items, stays) &&
                           is_val<jinja::value_array>(through) && known.variables.size() == 1 &&
                           items.size() >= kFewestItems && !known.names->sets_constants();
    const GivenValues* const given = remembers ? GivenValues::current() : nullptr;
    if (given != nullptr && given->are_whole() && known.memory->is_worth_it()) {
      loop.run_again(*given);
    } else {
      loop.run();
    }
    if (source != nullptr) {
      const Scan scan{.body = node.default_block.empty() ? &node.body : nullptr, .variable = known.variables.front()};
      LoopEnd end = loop.end();
      end.looks_ahead = end.looks_ahead || (known.loop->read & LoopMembers::kAll) == LoopMembers::kAll;
      known.source.note(*recorder, scope, source, items, end, scan, begun);
    }
    iterated = loop.iterated();
  }
  if (!iterated) {
    for (const jinja::statement_ptr& statement : node.default_block) add_text(statement->execute(scope), text);
  }
  return text;
}

}  // namespace lh
