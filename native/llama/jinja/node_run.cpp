#include "llama/jinja/node_run.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "llama/jinja/nodes/recorder.h"
#include "llama/jinja/operations.h"
#include "llama/jinja/values.h"

namespace lh {
namespace {

constexpr uint64_t kScopeBytes = 160;    // of a variable in a scope
constexpr uint64_t kItemBytes = 128;     // of a loop's item, in its lists
constexpr uint64_t kItemSteps = 8;       // of a loop's item: with its variable `loop`
constexpr uint32_t kScopeVariables = 4;  // that a step copies
constexpr uint32_t kFewVariables = 64;   // below, looking one up costs nothing that counts

thread_local NodeRun* current_run = nullptr;

// These functions always return a new list or object; others may return one of their arguments.
bool is_creator(std::string_view function) {
  static constexpr std::array<std::string_view, 11> kCreators = {"namespace", "range",      "split",     "rsplit",
                                                                 "items",     "keys",       "values",    "dictsort",
                                                                 "map",       "selectattr", "rejectattr"};
  return std::ranges::find(kCreators, function) != kCreators.end();
}

bool creates(const NodeFacts& facts) {
  if (facts.operation == Operation::kFilter) return is_creator(facts.name);
  return facts.operation == Operation::kSlice || (facts.operation == Operation::kBinary && facts.name == "+");
}

}  // namespace

NodeRun::NodeRun(const NodeFacts& facts, ValueUse use)
    : facts_(facts),
      use_(use),
      outer_(current_run),
      budget_(outer_ == nullptr ? TemplateBudget::current() : outer_->budget_),
      held_(facts.first ? 0 : budget_.held()),
      depth_(outer_ == nullptr ? 0 : outer_->depth_ + 1) {
  if (facts_.first) budget_.begin_rendering();
  budget_.spend(1 + facts_.variables / kFewVariables);
  budget_.check_stack(depth_);
  if (facts_.operation == Operation::kObject) budget_.spend(uint64_t{facts_.members} * facts_.members / 64);
  current_run = this;
}

NodeRun::~NodeRun() {
  current_run = outer_;
  if (!left_) budget_.restore_held(held_);  // an exception passes
}

void NodeRun::leave(const jinja::value& made) {
  few_ = {};  // releases references that do not belong to the value
  many_.clear();
  uint64_t held = held_;
  if (use_ == ValueUse::kPrinted) {
    const uint64_t bytes = printed_bytes(made, budget_);
    budget_.spend_bytes(bytes);
    held += bytes + kValueBytes;
  }
  budget_.set_held(held);  // no longer what the nodes within have held
  left_ = true;
  if (made.use_count() == 1) {
    count_made(made, budget_);
    const bool holds = facts_.operation == Operation::kList || facts_.operation == Operation::kObject;
    if (holds || makes_namespace_) keep_if_nested(made, budget_);
    Recorder* const recorder = Recorder::current();
    if (recorder != nullptr && (holds || creates_ || creates(facts_))) recorder->made(made);
  }
  if (use_ == ValueUse::kOperand || use_ == ValueUse::kSpelled) outer_->take(made);
}

void NodeRun::take(const jinja::value& operand) {
  budget_.spend_bytes(text_bytes(*operand));
  if (facts_.operands <= 1) return check({&operand, 1});
  if (facts_.operands > few_.size()) {
    many_.push_back(operand);
    if (many_.size() == facts_.operands) check(many_);
  } else {
    few_[taken_++] = operand;
    if (taken_ == facts_.operands) check(few_);
  }
}

void NodeRun::check(Operands all) {
  switch (facts_.operation) {
    case Operation::kBinary: check_binary(facts_.name, all[0], all[1], budget_); break;
    case Operation::kFilter:
    case Operation::kTest: check_builtin(facts_.name, all, asks_unpacked(), budget_); break;
    case Operation::kCall: enter_function(all.back(), all.first(all.size() - 1)); break;
    case Operation::kCallBlock: enter_function(all.front(), all.subspan(1)); break;
    case Operation::kMember:
    case Operation::kObject: check_name(all.back(), budget_); break;
    case Operation::kSlice:
      if (facts_.steps) check_step(all[1]);
      budget_.spend(all[0]->val_arr.size() >> 4);
      break;
    case Operation::kFor: enter_loop(all[0]); break;
    case Operation::kSetMember: check_new_member(all.back(), all.front(), all.size() > 1, budget_); break;
    case Operation::kList:
    case Operation::kNone: break;
  }
}

void NodeRun::enter_scope() {
  budget_.spend(facts_.variables / kScopeVariables);
  budget_.check_room(static_cast<double>(kScopeBytes * facts_.variables));
  budget_.set_held(budget_.held() + kScopeBytes * facts_.variables);
}

void NodeRun::enter_loop(const jinja::value& through) {
  const uint64_t items = through->val_arr.size() + through->val_obj.size();
  enter_scope();
  budget_.spend(items * (kItemSteps + facts_.variables / kScopeVariables));
  const uint64_t each = kItemBytes + (through->val_obj.empty() ? 0 : kValueBytes);
  budget_.check_room(static_cast<double>(items * each));
  budget_.set_held(budget_.held() + items * each);
  if (!facts_.unpacks) return;
  const auto is_list = [](const jinja::value& item) { return !item->val_arr.empty() && !item->is_immutable(); };
  if (std::ranges::any_of(through->val_arr, is_list)) unpacked_ = through->val_arr;
}

void NodeRun::enter_function(const jinja::value& function, Operands given) {
  const auto* called = dynamic_cast<const jinja::value_func_t*>(function.get());
  if (called == nullptr) return;  // the interpreter reports that
  std::vector<jinja::value> arguments;
  if (called->arg0) arguments.push_back(called->arg0);
  arguments.insert(arguments.end(), given.begin(), given.end());
  if (called->arg0 || jinja::global_builtins().contains(called->name)) {
    makes_namespace_ = !called->arg0 && called->name == "namespace";
    creates_ = is_creator(called->name);
    check_builtin(called->name, arguments, asks_unpacked(), budget_);
  } else {
    enter_scope();
  }
}

bool NodeRun::is_unpacked(const jinja::value& list) const {
  for (const NodeRun* run = this; run != nullptr; run = run->outer_) {
    if (std::ranges::find(run->unpacked_, list) != run->unpacked_.end()) return true;
  }
  return false;
}

}  // namespace lh
