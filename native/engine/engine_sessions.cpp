// The parts of Engine that open, run, compact, fork and close sessions.
#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "agent/loop/session_work.h"
#include "agent/session/history_check.h"
#include "base/system/atomic_file.h"
#include "base/system/unique_id.h"
#include "engine/engine.h"
#include "engine/tasks/results.h"
#include "engine/tasks/run_results.h"
#include "hooks/calls/call.h"
#include "hooks/calls/operation.h"

namespace lh {
namespace {

constexpr const char* kSessionClosedMessage = "the session is closed";

// True inside a hook that holds up the session's run, or its close. A tool may close the session: its call ends when
// the run is cancelled.
bool held_by_hook(const Session* session) {
  const Call* const call = Call::current();
  const auto& work = Operation::current();
  if (call != nullptr && call->is_hook() && work != nullptr && work->session == session) return true;
  return Operation::any_call([session](const CallFrame& frame) {
    const auto held = frame.work.lock();
    return frame.hook != nullptr && held != nullptr && held->session == session;
  });
}

std::string listed(const Json& calls) {
  std::string ids;
  for (const Json& call : calls) ids += (ids.empty() ? "" : ", ") + call["id"].get<std::string>();
  return ids.empty() ? "none" : ids;
}

// Without answers: for work that no call may wait for.
Status check_answers(const Session& session, const WaitingAnswers& answers) {
  const auto waiting = session.waiting();
  if (answers.empty() && !waiting) return {};
  const Json calls = waiting ? waiting_calls(*waiting) : Json::array();
  if (answers.empty()) {
    return {Code::kSessionBusy, "the session " + session.id() + " waits for an answer about tool calls: " +
                                    listed(calls) + "; it goes on when it is resumed with answers"};
  }
  for (const auto& [call_id, answer] : answers) {
    const bool waits = std::ranges::any_of(calls, [&id = call_id](const Json& call) { return call["id"] == id; });
    if (!waits) {
      return {Code::kInvalidArgument, "request.resume: no tool call \"" + call_id +
                                          "\" of the session waits for an answer; there are: " + listed(calls)};
    }
  }
  return {};
}

}  // namespace

Result<std::string> Engine::open_session(SessionSetup setup) {
  const std::string saved = setup.restore;
  const std::string record = std::exchange(setup.record, {});  // may be long; the session keeps its setup
  if (!record.empty()) {
    if (!saved.empty()) return Status(Code::kInvalidArgument, "options.record: options.restore is given, too");
    auto session = Session::restore(registry_.dispatcher, models_, closing_, std::move(setup), record);
    return session.ok() ? keep_session(*session) : session.status();
  }
  if (saved.empty()) {
    auto session = Session::create(registry_.dispatcher, models_, closing_, std::move(setup));
    return session.ok() ? keep_session(*session) : session.status();
  }
  const auto text = read_file(saved);
  if (!text.ok()) return text.status();
  auto session = Session::restore(registry_.dispatcher, models_, closing_, std::move(setup), *text);
  if (session.ok()) return keep_session(*session);
  const Status& status = session.status();
  return status.code() == Code::kSessionFileInvalid ? Status(status.code(), saved + ": " + status.message()) : status;
}

Status Engine::rewind_session(const std::string& id, const std::string& message_id) {
  const auto session = this->session(id);
  if (!session.ok()) return session.status();
  const auto turn = (*session)->take_turn();
  return turn.ok() ? (*session)->rewind(message_id) : turn.status();
}

Result<std::string> Engine::fork_session(const std::string& id, const std::string& message_id) {
  const auto session = this->session(id);
  if (!session.ok()) return session.status();
  auto copy = (*session)->fork(message_id);
  return copy.ok() ? keep_session(*copy) : copy.status();
}

Result<std::string> Engine::keep_session(const std::shared_ptr<Session>& session) {
  const MutexLock lock(mutex_);
  if (closed_) return Status(Code::kClosed, kClosedMessage);
  if (!sessions_.emplace(session->id(), OpenSession{session, {}}).second) {
    return Status(Code::kInvalidArgument, "options.id: a session \"" + session->id() + "\" is open already");
  }
  return session->id();
}

void Engine::forget_session(const std::string& id) {
  const MutexLock lock(mutex_);
  sessions_.erase(id);
}

Result<std::shared_ptr<Session>> Engine::session(const std::string& id) const {
  const MutexLock lock(mutex_);
  if (closed_) return Status(Code::kClosed, kClosedMessage);
  return find_session(id);
}

Result<std::shared_ptr<Session>> Engine::find_session(const std::string& id) const {
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || found->second.is_closing) {
    return Status(Code::kNotFound, "no session \"" + id + "\" is open");
  }
  return found->second.session;
}

Result<Engine::Turn> Engine::take_turn(const std::string& id) {
  if (closed_) return Status(Code::kClosed, kClosedMessage);
  const auto session = find_session(id);
  if (!session.ok()) return session.status();
  auto turn = (*session)->take_turn();
  if (!turn.ok()) return turn.status();
  auto wanted = models_.want((*session)->model());
  if (!wanted.ok()) return wanted.status();
  return Turn{*std::move(turn), *std::move(wanted)};
}

Engine::TaskResult Engine::run_session(const std::string& id, RunRequest request, const lh_task_callbacks& callbacks) {
  const MutexLock lock(mutex_);
  auto turn = take_turn(id);
  if (!turn.ok()) return turn.status();
  if (Status status = check_answers(turn->turn->session(), request.resume); !status.ok()) return status;
  if (Status status = check_history(request.history, "history"); !status.ok()) return status;
  if (request.plan) {
    const SessionSetup& setup = turn->turn->session().setup();
    if (Status status = check_plan(*request.plan, setup, "request.plan"); !status.ok()) return status;
  }
  const auto input = std::make_shared<RunInput>(
      RunInput{std::move(request.content), std::move(request.params), std::move(request.plan), request.dry_run,
               std::move(request.answer), request.hooks == nullptr ? 0 : request.hooks->owner(),
               std::move(request.tags), std::move(request.history), std::move(request.resume)});
  const int32_t priority = request.priority;
  const std::string run_id = "run-" + unique_id();
  ModelWork work;
  // The run's hooks live as long as the run.
  work.body = [this, held = turn->turn, hooks = std::move(request.hooks), input, priority, run_id](
                  const ModelManager::Use& model, Task& self) {
    const ModelUse use{model->id, {model, model->generator.get()}};
    const Work of_run{self.cancel_flag(), closing_, self, priority, nullptr, self.made_at()};
    Session& mine = held->session();
    Operation::current()->session = &mine;
    return run_end(mine, use, run_id, lh::run_session(mine, *input, run_id, use, of_run));
  };
  // The conversation is unchanged.
  work.stopped = [held = turn->turn, run_id, model_id = turn->model.id](const Status&, Task& self) {
    RunResult result;
    result.finish = RunFinish::kCancelled;
    result.cancel = Stop{kCaller, self.cancel_flag().reason()};
    return run_end(held->session(), ModelUse{model_id, nullptr}, run_id, result);
  };
  const Line line = line_of_generations(turn->model, priority);
  auto task = enqueue(std::move(turn->model), line, callbacks, std::move(work));
  turn->turn.reset();
  if (!task.ok()) return task.status();
  sessions_.find(id)->second.run = *task;
  return task;
}

Engine::TaskResult Engine::compact_session(const std::string& id, CompactParams how,
                                           const lh_task_callbacks& callbacks) {
  const MutexLock lock(mutex_);
  auto turn = take_turn(id);
  if (!turn.ok()) return turn.status();
  if (Status status = check_answers(turn->turn->session(), {}); !status.ok()) return status;
  ModelWork work;
  work.body = [this, held = turn->turn, how = std::move(how), run_id = "run-" + unique_id()](
                  const ModelManager::Use& model, Task& self) {
    const ModelUse use{model->id, {model, model->generator.get()}};
    const Work of_compaction{self.cancel_flag(), closing_, self, 0};
    Session& mine = held->session();
    Operation::current()->session = &mine;
    Refusal refused;
    auto done = lh::compact_session(mine, how, run_id, use, of_compaction, refused);
    if (!done.ok()) return failed_end(done.status(), refused);
    return TaskEnd{Status(), *std::move(done)};
  };
  work.stopped = [](const Status& status, Task&) { return TaskEnd{status}; };
  const Line line = line_of_generations(turn->model, 0);
  auto task = enqueue(std::move(turn->model), line, callbacks, std::move(work));
  turn->turn.reset();
  if (!task.ok()) return task.status();
  sessions_.find(id)->second.run = *task;
  return task;
}

Result<Json> Engine::session_record(const std::string& id) const {
  const auto session = [&]() -> std::shared_ptr<Session> {
    const MutexLock lock(mutex_);
    const auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : found->second.session;
  }();
  if (session == nullptr) return Status(Code::kNotFound, "no session \"" + id + "\" is open");
  return session->record();
}

Engine::TaskResult Engine::report_session(const std::string& id, std::string code, std::string message,
                                          std::string where, const lh_task_callbacks& callbacks) {
  const MutexLock lock(mutex_);
  if (closed_) return Status(Code::kClosed, kClosedMessage);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return Status(Code::kNotFound, "no session \"" + id + "\" is open");
  return begin(callbacks, Task::Kind::kWork,
               [session = found->second.session, code = std::move(code), message = std::move(message),
                where = std::move(where)](Task&) {
                 session->report(code, message, where);
                 return TaskEnd{};
               });
}

// The task belongs to the call: work that its hooks start is nested in the call, and does not wait for work that the
// call holds up.
Engine::TaskResult Engine::elicit(uint64_t call_id, UserRequest request, const lh_task_callbacks& callbacks) {
  const auto call = CallFrame::find(call_id);
  const auto work = call == nullptr ? nullptr : call->work.lock();
  if (work != nullptr && work->session != nullptr && held_by_hook(static_cast<const Session*>(work->session))) {
    return Status(Code::kReentrant, "the question would wait for what this hook holds up");
  }
  auto question = CallFrame::question(call_id, std::move(request));
  if (!question.ok()) return question.status();
  if (!CallFrame::enter(call_id).ok()) return Status(Code::kNotFound, "the call of the tool is over");
  const std::shared_ptr<void> entered(nullptr, [](void*) { CallFrame::leave(); });
  const MutexLock lock(mutex_);
  if (closed_) return Status(Code::kClosed, kClosedMessage);
  return begin(callbacks, Task::Kind::kWork, [question = *std::move(question)](Task& self) {
    return TaskEnd{Status(), question->ask(self.cancel_flag())};
  });
}

// Cancels the run before it returns, so that no further tool call begins.
Engine::TaskResult Engine::close_session(const std::string& id, const lh_task_callbacks& callbacks) {
  MutexLock lock(mutex_);
  if (closed_) return Status(Code::kClosed, kClosedMessage);
  const auto found = sessions_.find(id);
  if (found != sessions_.end() && held_by_hook(found->second.session.get())) {
    return Status(Code::kReentrant, "closing " + id + " would wait for what this hook holds up");
  }
  const auto session = find_session(id);
  if (!session.ok()) return session.status();
  const std::shared_ptr<Task> run = found->second.run.lock();
  const auto body = [this, id, session = *session, of = found->second.run](Task&) {
    const std::shared_ptr<void> gone(nullptr, [&](void*) { forget_session(id); });
    Operation::current()->session = session.get();
    try {
      if (const auto under_way = of.lock()) under_way->cancel(kSessionClosedMessage);
    } catch (const std::exception&) {
      // The session closes all the same.
    }
    session->close();
    return TaskEnd{};
  };
  TaskResult begun = begin(callbacks, Task::Kind::kWaitsForWork, body);
  if (!begun.ok()) return begun;
  found->second.is_closing = true;
  lock.unlock();  // a cancel runs listeners
  try {
    if (run != nullptr) run->cancel(kSessionClosedMessage);
  } catch (const std::exception&) {
    // The session closes all the same: its task cancels the run, too, when there is memory.
  }
  return begun;
}

}  // namespace lh
