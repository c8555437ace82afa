// The parts of Engine that open, run, compact, fork and close sessions.
#include <optional>
#include <utility>

#include "agent/loop/session_work.h"
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

}  // namespace

Result<std::string> Engine::open_session(SessionSetup setup) {
  const std::string saved = setup.restore;
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

Result<std::string> Engine::fork_session(const std::string& id) {
  const auto session = this->session(id);
  if (!session.ok()) return session.status();
  auto copy = (*session)->fork();
  return copy.ok() ? keep_session(*copy) : copy.status();
}

Result<std::string> Engine::keep_session(const std::shared_ptr<Session>& session) {
  const MutexLock lock(mutex_);
  if (closed_) return Status(Code::kClosed, kClosedMessage);
  sessions_.emplace(session->id(), OpenSession{session, {}});
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
  if (request.plan) {
    const SessionSetup& setup = turn->turn->session().setup();
    if (Status status = check_plan(*request.plan, setup, "request.plan"); !status.ok()) return status;
  }
  const auto input = std::make_shared<RunInput>(RunInput{
      std::move(request.content), std::move(request.params), std::move(request.plan), request.dry_run,
      std::move(request.answer), request.hooks == nullptr ? 0 : request.hooks->owner(), std::move(request.tags)});
  const int32_t priority = request.priority;
  const std::string run_id = "run-" + unique_id();
  ModelWork work;
  // The run's hooks live as long as the run.
  work.body = [this, held = turn->turn, hooks = std::move(request.hooks), input, priority, run_id](
                  const ModelManager::Use& model, Task& self) {
    const ModelUse use{model->id, {model, model->generator.get()}};
    const Work of_run{self.cancel_flag(), closing_, self, priority};
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

Engine::TaskResult Engine::close_session(const std::string& id, const lh_task_callbacks& callbacks) {
  const MutexLock lock(mutex_);
  if (closed_) return Status(Code::kClosed, kClosedMessage);
  const auto found = sessions_.find(id);
  if (found != sessions_.end() && held_by_hook(found->second.session.get())) {
    return Status(Code::kReentrant, "closing " + id + " would wait for what this hook holds up");
  }
  const auto session = find_session(id);
  if (!session.ok()) return session.status();
  const auto body = [this, id, session = *session, last = found->second.run](Task&) {
    const std::shared_ptr<void> gone(nullptr, [&](void*) { forget_session(id); });
    Operation::current()->session = session.get();
    if (const auto run = last.lock()) run->cancel(kSessionClosedMessage);
    session->close();
    return TaskEnd{};
  };
  TaskResult begun = begin(callbacks, Task::Kind::kWaitsForWork, body);
  if (begun.ok()) found->second.is_closing = true;
  return begun;
}

}  // namespace lh
