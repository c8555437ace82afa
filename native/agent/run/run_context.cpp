#include "agent/run/run_context.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "agent/session/session.h"
#include "base/text/cut_text.h"
#include "generation/answer_messages.h"

namespace lh {

RunContext::RunContext(Session& of, Dialogue& in, const Dispatcher& by, ModelUse with, Scope whose, const Work& job,
                       RunContext* parent, const SessionParams* own)
    : session(of),
      setup(of.setup()),
      dialogue(in),
      dispatcher(by),
      model(std::move(with)),
      events(job.events, whose.run_id, whose.depth),
      budget(parent == nullptr ? std::make_shared<RunBudget>(own == nullptr ? of.setup() : *own, job.cancel)
                               : parent->budget),
      asking(parent == nullptr ? std::make_shared<AskingLine>() : parent->asking),
      work{job.cancel, job.closing, events, job.priority, budget->tokens(), {}, whose.span},
      above(parent),
      scope(std::move(whose)),
      limits(of.setup(), parent == nullptr ? nullptr : &parent->limits),
      transcript(in, parent == nullptr ? &of.inbox() : nullptr),
      requests(in, by, scope, model, result.decisions) {
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
  if (work.events.wanted())
    work.events.emit(StateEvent{std::string(loop_state_name(previous)), std::string(loop_state_name(to))});
  notify<points::OnStateChange>(scope_now(), [&](const auto& context) {
    context({.previous = loop_state_name(previous), .current = loop_state_name(to)});
  });
}

Scope RunContext::closing_scope() const {
  Scope whose = scope;
  whose.cancel = nullptr;
  whose.closing = &work.closing;
  return whose;
}

Scope RunContext::scope_now() const { return work.cancel.cancelled() ? closing_scope() : scope; }

// Sets how the run ends and clears the cancel, halt or limit of an end that was set before.
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

void RunContext::wait(Json calls) {
  finish(RunFinish::kWaiting);
  result.waiting = std::move(calls);
}

void RunContext::cancelled_by_answer() {
  finish(RunFinish::kCancelled);
  result.cancel = Stop{kCaller, "a call that waited was cancelled"};
}

size_t RunContext::max_result() const { return static_cast<size_t>(setup.max_result_bytes); }

bool RunContext::can_inspect() const { return dialogue.profile()->can_inspect(); }

AddedText RunContext::added_text(Origin origin, std::string text) const {
  Message message;
  message.content = std::move(text);
  message.origin = origin;
  const MessagePtr whole = with_id(message);
  if (whole->content.size() <= max_result()) return {whole, whole};
  return {with_content(*whole, cut_for_model(whole->content, max_result(), can_inspect() ? whole->id : "")), whole};
}

Status RunContext::ask_for_phase(const std::string& phase) {
  if (setup.find_phase(phase) == nullptr) {
    return {Code::kInvalidArgument, "there is no phase \"" + phase + "\""};
  }
  pending.phase = phase;
  return {};
}

void RunContext::commit() {
  transcript.commit();
  dialogue.mark();
  result.messages = transcript.added();
}

}  // namespace lh
