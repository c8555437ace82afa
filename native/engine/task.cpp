#include "engine/task.h"

#include <exception>

namespace lh {

std::shared_ptr<Task> Task::start(const lh_task_callbacks& callbacks, Kind kind, Body body,
                                  std::function<void(Task*)> on_done) {
  std::shared_ptr<Task> task(new Task(callbacks, kind));
  // The thread holds the task: it ends in its own time even when its owner has let go of it.
  task->thread_ = std::thread([task, body = std::move(body), on_done = std::move(on_done)]() mutable {
    task->run(body, on_done);
    body = nullptr;
    on_done = nullptr;
  });
  return task;
}

Task::~Task() {
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();  // the last holder was the thread itself
  } else {
    thread_.join();
  }
}

void Task::run(const Body& body, const std::function<void(Task*)>& on_done) {
  const WorkScope doing(work_);
  TaskEnd end;
  try {
    end = body(*this);
  } catch (const std::exception& error) {
    end.status = Status(Code::kInternal, error.what());
  } catch (...) {
    end.status = Status(Code::kInternal, "an exception that is not a std::exception");
  }
  Json json = std::move(end.json);
  if (!end.status.ok()) {
    json["code"] = code_name(end.status.code());
    json["message"] = end.status.message();
  }
  callbacks_.on_end(static_cast<lh_status>(end.status.code()), dump_json(json).c_str(), callbacks_.user_data);
  on_done(this);
  const MutexLock lock(mutex_);
  ended_ = true;
  ended_condition_.notify_all();
}

bool Task::may_wait() const {
  return !Work::held_up([this](const Work& work) { return &work == work_.get() || kind_ == Kind::kWaitsForWork; });
}

void Task::wait() {
  MutexLock lock(mutex_);
  while (!ended_) lock.wait(ended_condition_);
}

void Task::join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace lh
