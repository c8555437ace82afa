// The parts of Engine that close and free it. The emptier thread waits for work without a limit; the closing thread
// waits for the emptier with a limit, because a thread may be stuck inside llama.cpp, where nothing can stop it.
#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/caught.h"
#include "base/system/log.h"
#include "base/text/names.h"
#include "engine/engine.h"
#include "hooks/calls/call.h"
#include "hooks/calls/operation.h"
#include "platform/thread.h"

namespace lh {
namespace {

using Clock = Task::Clock;
constexpr auto kCloseLook = std::chrono::milliseconds(50);  // the interval at which a wait looks at what the work does

}  // namespace

Engine::~Engine() {
  if (!begin_emptying().ok()) empty();  // no thread for it
  MutexLock lock(mutex_);
  while (!emptied_ || closers_ != 0) lock.wait(changed_);
  lock.unlock();
  if (emptier_.joinable()) emptier_.join();
}

void Engine::free(std::unique_ptr<Engine> engine) {
  Engine& it = *engine;
  if (!it.begin_emptying().ok()) return;  // the destructor empties it on this thread
  const Status status = it.wait_until_emptied({});
  if (status.ok()) return;
  it.give_up_tasks(status);
  // A call that comes back from its thread later reaches no sink: the receivers may be gone.
  it.set_trace(nullptr, nullptr);
  it.registry_.dispatcher.warnings().set_sink([](const Json&) {});
  it.registry_.registry.retire_all();
  const MutexLock lock(it.mutex_);
  if (it.emptied_) return;  // after all; the lock is released before the engine is destroyed
  it.left_behind_.emplace();
  it.left_ = std::move(engine);
}

// Cancels the work before it returns, so that no further tool call begins.
Engine::TaskResult Engine::close(const lh_task_callbacks& callbacks) {
  registry_.registry.seal();
  MutexLock lock(mutex_);
  closed_ = true;  // at once, before the task's thread runs
  const auto task = Task::make(
      callbacks, Task::Kind::kWaitsForWork,
      [this](Task&) {
        const Clock::time_point began = Clock::now();
        if (!begin_emptying().ok()) empty();
        Status status = wait_until_emptied(began);
        if (!status.ok()) give_up_tasks(status);
        const MutexLock done(mutex_);
        --closers_;
        changed_.notify_all();
        return TaskEnd{std::move(status)};
      },
      [](Task*) {});
  if (Status status = task->launch(); !status.ok()) return status;
  ++closers_;  // its thread cannot decrement it before this lock is released
  lock.unlock();
  try {
    cancel_work();
  } catch (const std::exception&) {
    // The engine closes even so: the launched task also cancels the work, once there is memory.
  }
  return task;
}

// Starts the emptier, once. Errors: kNoThread.
Status Engine::begin_emptying() {
  registry_.registry.seal();
  const MutexLock lock(mutex_);
  closed_ = true;
  if (emptying_since_) return {};
  auto work = Operation::current() != nullptr ? Operation::current() : Call::begin_operation();
  try {
    emptier_ = Thread([this, work] {
      const OperationScope doing(work);
      empty();
      std::unique_ptr<Engine> left;  // its destructor runs after the lock is released
      const MutexLock done(mutex_);
      left = std::move(left_);
      if (left != nullptr) emptier_.detach();
    });
  } catch (const std::system_error&) {
    return caught();
  }
  emptying_since_ = Clock::now();
  emptying_work_ = std::move(work);
  return {};
}

// Runs on the emptier thread, or without one on the closing thread. Never fails: without memory it tries again.
void Engine::empty() {
  {
    MutexLock lock(mutex_);
    if (std::exchange(emptying_, true)) {  // another thread does this, or has done it
      while (!emptied_) lock.wait(changed_);
      return;
    }
  }
  for (bool done = false; !done;) {
    try {
      empty_once();
      registry_.registry.tell_ended();
      done = true;
    } catch (const std::exception& error) {
      log_line(LogLevel::kError, std::string("closing an engine: ") + error.what());
      std::this_thread::sleep_for(kCloseLook);
    }
  }
  const MutexLock lock(mutex_);
  emptied_ = true;
  changed_.notify_all();
}

void Engine::cancel_work() {
  closing_.cancel(kClosedMessage, Code::kClosed);
  std::vector<std::shared_ptr<Task>> running;
  {
    const MutexLock lock(mutex_);
    running.assign(tasks_.begin(), tasks_.end());
  }
  for (const auto& task : running) task->cancel(kClosedMessage, Code::kClosed);  // unlocked, because it runs listeners
}

// Sessions and models that do not depend on stuck work are closed and unloaded first.
void Engine::empty_once() {
  cancel_work();
  if (patience_.count() > 0) wait_for_tasks(patience_ / 2);
  close_sessions(false);
  models_.stop_watching();
  // Ends the engine's separate process, if there is one: that works even while it is stuck, and frees its models.
  if (patience_.count() > 0) models_.close_runtime();
  unload_models(false);
  wait_for_tasks({});
  close_sessions(true);
  unload_models(true);
  models_.close_runtime();
}

void Engine::wait_for_tasks(std::optional<std::chrono::milliseconds> at_most) {
  const Clock::time_point until = Clock::now() + at_most.value_or(std::chrono::milliseconds(0));
  MutexLock lock(mutex_);
  while (!tasks_.empty()) {
    if (!at_most) {
      lock.wait(changed_);
    } else if (Clock::now() < until) {
      lock.wait_until(changed_, until);
    } else {
      return;
    }
  }
}

// `all` false: those that no work uses.
void Engine::close_sessions(bool all) {
  std::vector<std::shared_ptr<Session>> sessions;
  {
    const MutexLock lock(mutex_);
    std::erase_if(sessions_, [&](const auto& one) {
      if (!all && one.second.session->busy()) return false;
      sessions.push_back(one.second.session);
      return true;
    });
  }
  for (const auto& session : sessions) session->close();
}

void Engine::unload_models(bool all) {
  for (const std::string& id : models_.ids()) {
    if (!all && !models_.unused(id)) continue;
    if (models_.begin_unload(id).ok()) static_cast<void>(models_.finish_unload(id, "closed", {}));
  }
}

bool Engine::awaits_answer() {
  if (emptying_work_ != nullptr && emptying_work_->answers_awaited.load() > 0) return true;
  return std::ranges::any_of(tasks_, [](const auto& task) { return task->awaits_answer(); });
}

// Waits for answers of hooks do not count: they have separate limits. Errors: kStuck. `since` none: the first close.
Status Engine::wait_until_emptied(std::optional<Clock::time_point> since) {
  MutexLock lock(mutex_);
  Clock::time_point until = since ? *since : emptying_since_.value_or(Clock::now());
  until += patience_;
  while (!emptied_) {
    if (patience_.count() == 0) {
      lock.wait(changed_);
      continue;
    }
    const Clock::time_point now = Clock::now();
    if (awaits_answer()) until = std::max(until, now + patience_);
    if (now >= until) return stuck();
    lock.wait_until(changed_, std::min(until, now + kCloseLook));
  }
  return {};
}

Status Engine::stuck() const {
  std::string message = std::to_string(tasks_.size()) + " calls";
  std::string models;
  for (const std::string& id : models_.held_ids()) models += (models.empty() ? "\"" : ", \"") + id + "\"";
  if (!models.empty()) message += " and the models " + models;
  message += " were left behind after " + std::to_string(patience_.count()) + " ms (" +
             shown_field("close_timeout_ms") + "): a thread is still inside llama.cpp or a native callback";
  log_line(LogLevel::kError, "closing an engine: " + message);
  return {Code::kStuck, message};
}

void Engine::give_up_tasks(const Status& status) {
  std::vector<std::shared_ptr<Task>> left;
  {
    const MutexLock lock(mutex_);
    left.assign(tasks_.begin(), tasks_.end());
  }
  for (const auto& task : left) static_cast<void>(task->give_up(status));
}

}  // namespace lh
