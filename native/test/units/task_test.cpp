// Tasks: their end, their events, and being refused.
#include <atomic>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "check.h"
#include "engine/tasks/task.h"

namespace {

using lh::Code;
using lh::Task;
using lh::TaskEnd;

struct Seen {
  std::atomic<int> events{0};
  std::atomic<int> later_events{0};
  lh_status status = LH_OK;
  std::string json;
};

lh_task_callbacks callbacks_for(Seen& seen) {
  lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
  callbacks.on_event = [](const char*, void* to) { ++static_cast<Seen*>(to)->events; };
  callbacks.on_end = [](lh_status status, const char* json, void* to) {
    static_cast<Seen*>(to)->status = status;
    static_cast<Seen*>(to)->json = json;
  };
  callbacks.user_data = &seen;
  return callbacks;
}

void nothing(Task*) {}

void run(Seen& seen, Task::Body body) {
  const auto task = Task::make(callbacks_for(seen), Task::Kind::kWork, std::move(body), nothing);
  CHECK(task->launch().ok());
  task->wait();
  task->join();
}

void what_a_body_throws_is_the_end_of_its_task() {
  Seen seen;
  run(seen, [](Task&) -> TaskEnd { throw std::runtime_error("it broke"); });
  CHECK(seen.status == LH_ERR_INTERNAL);
  CHECK_HAS(seen.json.c_str(), R"("code":"INTERNAL","message":"it broke")");
  run(seen, [](Task&) -> TaskEnd { throw std::bad_alloc(); });
  CHECK(seen.status == LH_ERR_INSUFFICIENT_MEMORY);
  CHECK_HAS(seen.json.c_str(), R"("code":"INSUFFICIENT_MEMORY","message":"out of memory")");
  run(seen, [](Task&) -> TaskEnd {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  });
  CHECK(seen.status == LH_ERR_NO_THREAD);
  CHECK_HAS(seen.json.c_str(), "no thread could be started");
  run(seen, [](Task&) -> TaskEnd { throw 1; });
  CHECK(seen.status == LH_ERR_INTERNAL);
}

void events_are_wanted_while_there_is_a_reader() {
  Seen seen;
  run(seen, [](Task& task) {
    CHECK(task.wanted());
    task.emit(lh::LoadProgressEvent{1});
    task.subscribe(nullptr);
    CHECK(!task.wanted());
    task.emit(lh::LoadProgressEvent{1});
    task.subscribe([](const char*, void* to) { ++static_cast<Seen*>(to)->later_events; });
    CHECK(task.wanted());
    task.emit(lh::LoadProgressEvent{1});
    return TaskEnd();
  });
  CHECK(seen.events == 1 && seen.later_events == 1);
}

void a_refused_task_ends_without_having_run() {
  Seen seen;
  bool done = false;
  const auto task = Task::make(
      callbacks_for(seen), Task::Kind::kWork,
      [](Task&) {
        CHECK(false && "it ran");
        return TaskEnd();
      },
      [&done](Task*) { done = true; });
  task->refuse(lh::Status(Code::kInternal, "no thread"));
  task->wait();
  CHECK(done && seen.status == LH_ERR_INTERNAL && Task::current() == nullptr);
  CHECK_HAS(seen.json.c_str(), "no thread");
}

}  // namespace

int main() {
  what_a_body_throws_is_the_end_of_its_task();
  events_are_wanted_while_there_is_a_reader();
  a_refused_task_ends_without_having_run();
  return check_result("task_test");
}
