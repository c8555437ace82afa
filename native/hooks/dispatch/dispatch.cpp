#include "hooks/dispatch/dispatch.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/json/json_member.h"
#include "base/system/log.h"
#include "base/text/names.h"
#include "base/text/reason.h"
#include "base/text/utf8.h"
#include "hooks/calls/answer.h"
#include "hooks/calls/call.h"

namespace lh {
namespace {

int64_t unix_time_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

bool fails_closed(const Hook& hook) { return hook.is(LH_HOOK_GUARD) || hook.is(LH_HOOK_FAIL_CLOSED); }

std::string place(const Hook& hook, const PointInfo& point) {
  return "hook \"" + hook.spec().name + "\" at " + shown_point(point.name);
}

// The name of a field, without its quotes.
std::string_view in_quotes(std::string_view name) { return name.substr(1, name.size() - 2); }

// Adds to the list that earlier hooks gave.
void join(Json& list, const Json& more) {
  if (!list.is_array()) list = Json::array();
  for (const Json& one : more) list.push_back(one);
}

}  // namespace

Json with_changes(Json context, const DispatchResult& result) {
  if (result.changes.is_null()) return context;
  for (const auto& [field, value] : result.changes.items()) context[field] = value;
  const PointInfo& point = point_table()[static_cast<size_t>(point_slot(result.decision.point))];
  if (!point.withdrawn.empty() && result.changes.contains(point.text_field)) {
    for (const std::string_view field : point.withdrawn) context.erase(field);
  }
  if (!result.answers.is_object()) return context;
  for (const auto& [field, value] : result.answers.items()) {
    if (lists(point.shown, field)) context[field] = value;
    if (context.contains(field) && lists(point.collected, field)) join(context[field], value);
  }
  return context;
}

Dispatch::Dispatch(const PointInfo& point, const Scope& scope, uint64_t seq, ContextBuilder build,
                   const DispatchExtras& extras)
    : point_(point), scope_(scope), time_us_(unix_time_us()), seq_(seq), build_(build), extras_(extras) {
  result_->decision.point = point.number;
  result_->decision.seq = seq;
  result_->decision.time_us = time_us_;
  result_->decision.run_id = scope.run_id;
  result_->decision.session_id = scope.session_id;
  result_->decision.span = scope.span;
  const std::string* const call = extras.tool_call_id;
  result_->decision.tool_call_id = call != nullptr && !call->empty() ? *call : scope.tool_call_id;
}

std::unique_ptr<DispatchResult> Dispatch::run(const HookList& list) && {
  const auto start = std::chrono::steady_clock::now();
  hooks_ = list.hooks;
  Decision& decision = result_->decision;
  decision.began = start;
  decision.hooks.reserve(list.hooks.size());
  std::vector<Hook*> together;
  const auto ask_gathered = [&] {
    if (together.size() == 1) ask(*together.front());
    if (together.size() > 1) ask_together(together);
    together.clear();
  };
  const auto over = [&] { return decision.action == Action::kCancelled || result_->ended_by; };
  for (const HookEntry& entry : list.hooks) {
    if (over()) {  // the dispatch has ended before this hook
      count_fired(entry, scope_);
      continue;
    }
    if (extras_.turns != nullptr && !has_turn(*entry.hook)) continue;
    count_fired(entry, scope_);
    const bool for_all = entry.owner == 0 && entry.hook->spec().when.empty();
    // Decided before gathered hooks run, so that a hook which does not match does not split their group: they return
    // lists, and `when` does not test lists.
    if (!for_all && !is_for(entry)) continue;
    entry.hook->counters().matched.fetch_add(1, std::memory_order_relaxed);
    if (entry.hook->is(LH_HOOK_PARALLEL)) {
      together.push_back(entry.hook.get());
      continue;
    }
    if (!together.empty()) ask_gathered();
    if (over()) continue;
    ask(*entry.hook);
  }
  if (!together.empty()) ask_gathered();
  const auto elapsed = std::chrono::steady_clock::now() - start;
  decision.duration_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count();
  return std::move(result_);
}

bool Dispatch::has_turn(const Hook& hook) {
  const Turn turn = (*extras_.turns)(hook, *result_);
  if (turn == Turn::kAskAnew) {
    text_.reset();
    changed_text_.reset();
  }
  return turn != Turn::kPassOver;
}

bool Dispatch::is_for(const HookEntry& entry) {
  const Hook& hook = *entry.hook;
  // A known field of the context may have been changed in the meantime.
  const KnownField* known = result_->changes.is_null() || hook.is(LH_HOOK_ORIGINAL_CONTEXT) ? extras_.known : nullptr;
  if (!may_ask(entry, scope_, known)) return false;
  const Matcher& when = hook.spec().when;
  return when.needs_no_context(scope_, known) || when.fits(scope_, text().members_of(text_for(hook)));
}

void Dispatch::ask(Hook& hook) { take(hook, invoke(hook, shown_text(hook).c_str(), scope_)); }

void Dispatch::ask_together(std::span<Hook* const> hooks) {
  const std::string changed = result_->changes.is_null() ? "" : changed_context();
  shown_together_ = changed.empty() ? &text().original() : &changed;
  auto group = std::make_shared<std::vector<const Hook*>>(hooks.begin(), hooks.end());
  std::vector<std::unique_ptr<Invocation>> calls;
  std::vector<size_t> by_due;
  for (Hook* const hook : hooks) {
    by_due.push_back(calls.size());
    calls.push_back(std::make_unique<Invocation>(*hook, scope_, group));
    calls.back()->start(shown_text(*hook).c_str());
    calls.back()->step_out();
  }
  // Sorted by deadline, so that no call ends later than its deadline.
  std::ranges::stable_sort(by_due, {}, [&](size_t i) { return calls[i]->due(); });
  std::vector<Reply> replies(calls.size());
  for (const size_t i : by_due) replies[i] = calls[i]->reply();
  for (size_t i = 0; i < hooks.size(); ++i) take(*hooks[i], std::move(replies[i]));
  shown_together_ = nullptr;
}

void Dispatch::take(Hook& hook, Reply reply) {
  if (!reply.ran) {  // the callback tested `when` itself, and it failed; or the hook was removed
    hook.counters().matched.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  HookRecord& record = result_->decision.hooks.emplace_back();
  record.id = hook.id();
  record.name = hook.spec().name;
  record.began = reply.began;
  record.duration_ns = reply.duration_ns;
  record.late = reply.late;
  // One of several parallel hooks, after the operation or the dispatch has ended.
  if (result_->decision.action == Action::kCancelled || result_->ended_by) return;
  judge(hook, std::move(reply), record);
}

void Dispatch::judge(Hook& hook, Reply reply, HookRecord& record) {
  const bool counts = point_.kind != Kind::kInfo && !hook.is(LH_HOOK_OBSERVE);
  if (reply.failure) return fail(hook, record, *std::move(reply.failure));
  const bool cancels = counts && point_.kind == Kind::kPre && reply.returned != 0;
  if (cancels && hook.is(LH_HOOK_PARALLEL)) return reject(hook, record, "a parallel hook may not cancel");
  if (cancels) {
    // Before the reason is read: a cancel counts even with an invalid reason.
    cancel(hook, record, reason_or(reply.answer.value_or("")));
  }
  if (!reply.bad_answer.empty()) return reject(hook, record, reply.bad_answer);
  if (cancels) return;
  if (!counts) {
    record.outcome = HookOutcome::kObserved;
  } else if (reply.answer) {
    change(hook, *reply.answer, record);
  }
}

void Dispatch::change(Hook& hook, std::string_view answer, HookRecord& record) {
  const AnswerFrame frame{hook, point_, text().meta_json(), text().members_of(text_for(hook))};
  Result<Change> change = read_answer(frame, answer);
  if (!change.ok()) return reject(hook, record, change.status().message());
  if (change->fields.empty()) return;
  if (hook.is(LH_HOOK_GUARD)) {
    return reject(hook, record,
                  "field \"" + shown_field(change->fields.front()) + "\": a guard may cancel but not change");
  }
  for (const std::string& field : change->fields) {
    if (!hook.is(LH_HOOK_PARALLEL) || lists(point_.collected, field)) continue;
    return reject(hook, record,
                  "field \"" + shown_field(field) + "\": a parallel hook returns parts and may not change fields");
  }
  record.outcome = HookOutcome::kModified;
  record.fields = change->fields;
  hook.counters().modifications.fetch_add(1, std::memory_order_relaxed);
  const std::string flaw = std::move(change->flaw);
  apply(hook, *std::move(change));
  if (!flaw.empty()) reject(hook, record, flaw);  // after it counts
}

void Dispatch::apply(const Hook& hook, Change change) {
  Json& answers = result_->answers;
  if (result_->changes.is_null()) result_->changes = Json::object();
  for (auto& [field, value] : change.context.items()) result_->changes[field] = std::move(value);
  for (auto& [field, value] : change.answers.items()) {
    if (ends(field, value)) result_->ended_by = hook.place();
    if (value.is_array() && lists(point_.collected, field)) {
      join(answers[field], value);
    } else {
      answers[field] = std::move(value);
    }
  }
  changed_text_.reset();
  result_->decision.action = Action::kModified;
  if (extras_.complete != nullptr && !(*extras_.complete)(*result_)) result_->ended_by = hook.place();
}

bool Dispatch::ends(std::string_view field, const Json& value) {
  if (value != true || !lists(point_.ends, field)) return false;
  // Held text needs a later token to go with, so a hold on the last call has no effect.
  return field != "hold" || json_member(text().members_of(text().original()), "final") != "true";
}

void Dispatch::cancel(Hook& hook, HookRecord& record, std::string reason) {
  Decision& decision = result_->decision;
  decision.action = Action::kCancelled;
  decision.decided_by = Decider{hook.id(), hook.spec().name};
  decision.reason = std::move(reason);
  record.outcome = HookOutcome::kCancelled;
  hook.counters().cancels.fetch_add(1, std::memory_order_relaxed);
}

void Dispatch::end_with_operation() {
  Decision& decision = result_->decision;
  decision.action = Action::kCancelled;
  decision.reason = Call::operation(scope_.cancel)->reason();
  if (decision.reason->empty()) decision.reason = "cancelled";
  decision.status = Code::kCancelled;
}

void Dispatch::abandon(HookRecord& record) {
  record.outcome = HookOutcome::kAbandoned;
  if (point_.kind == Kind::kPre) end_with_operation();
}

void Dispatch::fail(Hook& hook, HookRecord& record, HookFailure failure) {
  const std::string what = std::move(failure.message);
  failure.message = place(hook, point_) + ": " + what;
  record.failure = std::move(failure);
  if (gave_up_with_operation(*record.failure, scope_.cancel)) return abandon(record);
  count_failure(hook, record, what);
}

void Dispatch::reject(Hook& hook, HookRecord& record, std::string_view why) {
  record.failure = HookFailure{Code::kHookBadAnswer, place(hook, point_) + ": " + std::string(why), 0};
  count_failure(hook, record, why);
}

void Dispatch::count_failure(Hook& hook, HookRecord& record, std::string_view what) {
  hook.counters().failures.fetch_add(1, std::memory_order_relaxed);
  const Code code = record.failure->code;
  std::string text = place(hook, point_) + " failed (" + code_name(code) + "): " + to_utf8(what);
  log_line(LogLevel::kError, text);
  // It cancelled with an unreadable reason, or refused something in an answer that is wrong otherwise.
  if (record.outcome == HookOutcome::kCancelled || record.outcome == HookOutcome::kModified) return;
  record.outcome = HookOutcome::kFailed;
  if (point_.kind != Kind::kPre || !fails_closed(hook)) return;
  cancel(hook, record, std::move(text));
  result_->decision.status = code;
}

FieldSet Dispatch::wanted() const {
  FieldSet wanted = FieldSet::none();
  for (const HookEntry& entry : hooks_) {
    if (!may_ask(entry, scope_, nullptr)) continue;
    const HookSpec& spec = entry.hook->spec();
    wanted.add(spec.fields);
    if (wanted.all()) break;
    spec.when.add_fields(wanted);
  }
  return wanted;
}

const std::string& Dispatch::shown_text(const Hook& hook) {
  const std::string& whole = text_for(hook);
  const FieldSet& fields = hook.spec().fields;
  return fields.all() ? whole : cut_texts_.emplace_back(text().cut(whole, fields));
}

const std::string& Dispatch::text_for(const Hook& hook) {
  if (shown_together_ != nullptr && !hook.is(LH_HOOK_ORIGINAL_CONTEXT)) return *shown_together_;
  if (result_->changes.is_null() || hook.is(LH_HOOK_ORIGINAL_CONTEXT)) return text().original();
  if (!changed_text_) changed_text_ = changed_context();
  return *changed_text_;
}

std::string Dispatch::changed_context() {
  const Json before = concerned();
  const Json after = with_changes(before, *result_);
  std::string members;
  const auto append = [&](std::string_view quoted_name, std::string_view value) {
    separate_member(members);
    members += quoted_name;
    members += ':';
    members += value;
  };
  each_json_member(text().members_of(text().original()), [&](std::string_view name, std::string_view value) {
    const std::string field(in_quotes(name));
    if (!before.contains(field)) {
      append(name, value);
    } else if (after.contains(field)) {
      append(name, dump_json(after[field]));
    }
    return true;
  });
  for (const auto& [field, value] : after.items()) {
    if (!before.contains(field)) append(dump_json(field), dump_json(value));
  }
  return text().with_members(members);
}

Json Dispatch::concerned() {
  Json found = Json::object();
  const auto has = [](const Json& object, const std::string& field) {
    return object.is_object() && object.contains(field);
  };
  each_json_member(text().members_of(text().original()), [&](std::string_view name, std::string_view value) {
    const std::string field(in_quotes(name));
    if (!has(result_->changes, field) && !has(result_->answers, field) && !lists(point_.withdrawn, field)) return true;
    Result<Json> parsed = parse_json(value, "context of " + std::string(point_.name));
    // Text that is not JSON is a defect of the builder. The hooks have seen the text; their answers are applied, and
    // the defect is logged.
    if (!parsed.ok()) log_line(LogLevel::kError, parsed.status().message());
    found[field] = parsed.ok() ? *std::move(parsed) : Json();
    return true;
  });
  return found;
}

}  // namespace lh
