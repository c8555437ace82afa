#include "agent/run/run_context.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "agent/session/session.h"
#include "generation/answer_messages.h"

namespace lh {

RunContext::RunContext(Session& of, Dialogue& in, const Dispatcher& by, ModelUse with, Scope whose, const Work& job,
                       RunContext* parent, const SessionParams* own)
    : session(of),
      dialogue(in),
      dispatcher(by),
      model(std::move(with)),
      events(job.events, whose.run_id, whose.depth),
      budget(parent == nullptr ? std::make_shared<RunBudget>(own == nullptr ? of.setup() : *own, job.cancel)
                               : parent->budget),
      work{job.cancel, job.closing, events, job.priority, budget->tokens()},
      above(parent),
      scope(std::move(whose)),
      limits(of.setup(), parent == nullptr ? nullptr : &parent->limits),
      messages(in.history()),
      everything(in.everything()) {
  dry = parent != nullptr && parent->dry;
  scope.cancel = &job.cancel;
  scope.errors = &errors;
}

void RunContext::move_to(LoopState to) {
  if (!may_move(state, to)) {
    throw std::logic_error("the loop cannot go from " + std::string(loop_state_name(state)) + " to " +
                           std::string(loop_state_name(to)));
  }
  const LoopState previous = std::exchange(state, to);
  if (work.events.wanted()) work.events.emit(StateEvent{loop_state_name(previous), loop_state_name(to)});
  static_cast<void>(dispatcher.fire(LH_HOOK_ON_STATE_CHANGE, scope_now(), [&](std::string& out) {
    append_members(out, {{"previous", loop_state_name(previous)}, {"current", loop_state_name(to)}});
  }));
}

Scope RunContext::closing_scope() const {
  Scope whose = scope;
  whose.cancel = nullptr;
  whose.closing = &work.closing;
  return whose;
}

Scope RunContext::scope_now() const { return work.cancel.cancelled() ? closing_scope() : scope; }

// What it had ended by before is no more.
void RunContext::finish(RunFinish how) {
  result.finish = how;
  result.cancel.reset();
  result.halt.reset();
  result.limit.clear();
}

void RunContext::halt(Stop stop) {
  finish(RunFinish::kHalted);
  result.halt = std::move(stop);
}

void RunContext::cancelled() {
  if (above == nullptr && budget->timed_out()) return limit("max_run_ms");
  finish(RunFinish::kCancelled);
  result.cancel = Stop{kCaller, work.cancel.reason()};
}

void RunContext::fail(Status status, const char* where) {
  result.status = std::move(status);
  dispatcher.error(scope, code_name(result.status.code()), result.status.message(), where, false);
}

void RunContext::limit(const char* which) {
  finish(RunFinish::kLimit);
  result.limit = which;
}

void RunContext::say(MessagePtr message) {
  messages.push_back(message);
  everything.push_back(message);
  added.push_back(std::move(message));
}

void RunContext::drop(const MessagePtr& message) {
  for (Messages* list : {&messages, &everything, &added}) {
    auto at = std::ranges::find(*list, message);
    if (at == list->end()) {  // of a restored session, or given back by a hook: another one of the same words
      at = std::ranges::find_if(*list, [&message](const MessagePtr& one) {
        return one->role == message->role && one->content == message->content;
      });
    }
    if (at == list->end()) continue;
    if (list == &added && static_cast<size_t>(at - list->begin()) < committed_) --committed_;
    list->erase(at);
  }
}

size_t RunContext::max_result() const { return static_cast<size_t>(session.setup().max_result_bytes); }

bool RunContext::can_inspect() const {
  const auto profile = dialogue.profile();
  return std::ranges::any_of(profile->shown, [](const auto& tool) { return tool->name == "context_inspect"; });
}

void RunContext::settle_compaction() {
  if (const auto note = std::exchange(compacted, nullptr)) note();
}

void RunContext::open_message(std::string content, std::string reasoning, size_t calls) {
  open = Open{std::move(content), std::move(reasoning), std::vector<Open::Call>(calls)};
  publish();
}

void RunContext::show_call(size_t index, const ToolCall& call, const std::string* outcome) {
  if (!open || plan_depth > 0) return;
  open->calls[index] = {call, true, outcome == nullptr ? std::nullopt : std::optional(*outcome)};
  if (outcome != nullptr) open->under_way = nullptr;
  publish();
}

Status RunContext::ask_for_phase(const std::string& phase) {
  if (session.setup().find_phase(phase) == nullptr) {
    return {Code::kInvalidArgument, "there is no phase \"" + phase + "\""};
  }
  pending.phase = phase;
  return {};
}

void RunContext::begin_own(size_t index, const ToolCall& call) {
  if (!open || plan_depth > 0) return;
  open->under_way = &open->calls[index];
  open->under_way->call = call;
}

void RunContext::settle_args(Json args) {
  if (!open || plan_depth > 0 || open->under_way == nullptr) return;
  open->under_way->call.args = std::move(args);
  open->under_way->shown = true;
  publish();
}

void RunContext::publish() {
  Messages said(added.begin() + static_cast<std::ptrdiff_t>(committed_), added.end());
  if (open) {
    std::vector<ToolCall> calls;
    Messages results;
    for (const auto& [call, shown, outcome] : open->calls) {
      if (!shown) continue;
      calls.push_back(call);
      if (outcome) results.push_back(result_message({call.id, call.name, *outcome}));
    }
    if (!open->content.empty() || !calls.empty()) {
      said.push_back(answer_message(open->content, open->reasoning, std::move(calls)));
    }
    said.insert(said.end(), results.begin(), results.end());
  }
  dialogue.set_said(std::move(said));
}

void RunContext::commit() {
  settle_compaction();
  open.reset();
  committed_ = added.size();
  dialogue.set_history(messages, everything);
  if (above == nullptr) session.inbox().settle();
  result.messages = added;
}

}  // namespace lh
