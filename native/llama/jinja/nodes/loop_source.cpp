#include "llama/jinja/nodes/loop_source.h"

#include <algorithm>
#include <utility>

#include "llama/jinja/nodes/place_sets.h"
#include "llama/jinja/nodes/variables.h"

namespace lh {
namespace {

constexpr size_t kMostElements = 32;  // that are noted one by one

// True if the slice starts at a place that is counted from the beginning: `loop.index`, a number, or a sum of these.
bool is_place(const jinja::statement_ptr& start) {
  if (const auto* number = jinja::cast_stmt<jinja::integer_literal>(start)) return number->val >= 0;
  if (const auto* sum = jinja::cast_stmt<jinja::binary_expression>(start)) {
    return sum->op.value == "+" && is_place(sum->left) && is_place(sum->right);
  }
  return is_loop_index(start);
}

const jinja::statement_ptr* list_in(const jinja::statement_ptr& iterable) {
  if (jinja::cast_stmt<jinja::identifier>(iterable) != nullptr) return &iterable;
  const auto* member = jinja::cast_stmt<jinja::member_expression>(iterable);
  if (member == nullptr || jinja::cast_stmt<jinja::identifier>(member->object) == nullptr) return nullptr;
  const auto* slice = jinja::cast_stmt<jinja::slice_expression>(member->property);
  if (slice == nullptr || !slice->start_expr || slice->stop_expr || slice->step_expr) return nullptr;
  if (!is_place(slice->start_expr)) return nullptr;
  return &member->object;
}

// The length in range(..., variable|length).
const jinja::statement_ptr* bound_in(const jinja::statement_ptr& iterable) {
  const auto* call = jinja::cast_stmt<jinja::call_expression>(iterable);
  if (call == nullptr || call->args.size() != 2) return nullptr;
  const auto* function = jinja::cast_stmt<jinja::identifier>(call->callee);
  const auto* filter = jinja::cast_stmt<jinja::filter_expression>(call->args[1]);
  if (function == nullptr || filter == nullptr || function->val != "range") return nullptr;
  const auto* name = jinja::cast_stmt<jinja::identifier>(filter->filter);
  const bool length = name != nullptr && (name->val == "length" || name->val == "count");
  return length && jinja::cast_stmt<jinja::identifier>(filter->operand) != nullptr ? &call->args[1] : nullptr;
}

}  // namespace

LoopSource::LoopSource(const jinja::statement_ptr& iterable, ProgramNames& names) {
  if (const jinja::statement_ptr* const list = list_in(iterable)) {
    variable = names.of(jinja::cast_stmt<jinja::identifier>(*list)->val);
    node = repeatable(*list);
  } else if (const jinja::statement_ptr* const length = bound_in(iterable)) {
    const auto* filter = jinja::cast_stmt<jinja::filter_expression>(*length);
    variable = names.of(jinja::cast_stmt<jinja::identifier>(filter->operand)->val);
    node = repeatable(*length);
    is_bound = true;
  }
}

void LoopSource::note_whole(Recorder& recorder, const jinja::value& read) const {
  if (!recorder.note(*node, read)) recorder.give_up();
}

jinja::value LoopSource::outer_value(const Recorder& recorder, jinja::context& scope) const {
  const jinja::value* const found = variable == nullptr ? nullptr : find_variable(scope, variable);
  const jinja::value held = found == nullptr ? jinja::value() : *found;
  if (variable == nullptr || !recorder.is_outer(variable, held)) return nullptr;
  return held != nullptr ? held : jinja::mk_val<jinja::value_undefined>(variable->as_string().str());
}

void LoopSource::note(Recorder& recorder, jinja::context& scope, const jinja::value& held,
                      const std::vector<jinja::value>& items, const LoopEnd& end, const Scan& scan,
                      Recorder::Mark begun) const {
  const bool list = jinja::is_val<jinja::value_array>(held);
  if (is_bound) return list ? note_bound(recorder, held, items, end) : recorder.give_up();
  if (!list || items.empty() || items.size() > held->val_arr.size() || end.broken || end.looks_ahead) {
    return note_whole(recorder, held);
  }
  note_list(recorder, scope, held, items, end, scan, begun);
}

void LoopSource::note_list(Recorder& recorder, jinja::context& scope, const jinja::value& list,
                           const std::vector<jinja::value>& items, const LoopEnd& end, Scan scan,
                           Recorder::Mark begun) const {
  const std::vector<jinja::value>& all = list->val_arr;
  const size_t begin = all.size() - items.size();
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
  if (!std::equal(items.begin(), items.end(), first)) return note_whole(recorder, list);
  if (end.reached < items.size()) {
    if (end.reached > kMostElements) return note_whole(recorder, list);
    for (size_t i = 0; i < end.reached; ++i) recorder.note_element(variable, list, begin + i);
    return;
  }
  scan.begin = begin;
  scan.seen = all.size();
  if (scan.body == nullptr || !recorder.note_scan(variable, list, std::move(scan), scope, begun)) {
    note_whole(recorder, list);
  }
}

void LoopSource::note_bound(Recorder& recorder, const jinja::value& list, const std::vector<jinja::value>& items,
                            const LoopEnd& end) const {
  const bool settled = end.reached > 0 && end.reached < items.size() && !end.broken && !end.looks_ahead;
  if (settled && jinja::is_val<jinja::value_int>(items[end.reached - 1])) {
    return recorder.note_at_least(variable, list, static_cast<size_t>(items[end.reached - 1]->as_int()) + 1);
  }
  note_whole(recorder, jinja::mk_val<jinja::value_int>(static_cast<int64_t>(list->val_arr.size())));
}

}  // namespace lh
