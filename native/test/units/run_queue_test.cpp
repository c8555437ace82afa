// The order of generations on one model.
#include <memory>
#include <vector>

#include "check.h"
#include "engine/tasks/run_queue.h"
#include "engine/tasks/task.h"

namespace {

using lh::Code;
using lh::RunQueue;
using lh::Task;

std::shared_ptr<Task> idle_task() {
  lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
  callbacks.on_end = [](lh_status, const char*, void*) {};
  return Task::make(
      callbacks, Task::Kind::kWork, [](Task&) { return lh::TaskEnd(); }, [](Task*) {});
}

RunQueue::Entrant entrant(std::shared_ptr<Task> task, int level = 0) { return {std::move(task), "m", level, 2}; }

void a_place_goes_to_who_has_waited_longest() {
  RunQueue queue(2);
  std::vector<std::shared_ptr<Task>> tasks;
  for (int i = 0; i < 5; ++i) tasks.push_back(idle_task());
  CHECK(*queue.enter(entrant(tasks[0])) == RunQueue::Turn::kNow);
  CHECK(*queue.enter(entrant(tasks[1])) == RunQueue::Turn::kNow);
  CHECK(*queue.enter(entrant(tasks[2])) == RunQueue::Turn::kLater);
  CHECK(*queue.enter(entrant(tasks[3])) == RunQueue::Turn::kLater);
  CHECK(queue.enter(entrant(tasks[4])).status().code() == Code::kBusy);
  CHECK(queue.leave(tasks[1].get()) == tasks[2]);
  CHECK(queue.leave(tasks[0].get()) == tasks[3]);
  CHECK(queue.leave(tasks[2].get()) == nullptr);
  CHECK(queue.leave(tasks[3].get()) == nullptr);
  CHECK(queue.leave(tasks[3].get()) == nullptr);  // it has left
  CHECK(*queue.enter(entrant(tasks[4])) == RunQueue::Turn::kNow);
}

void what_a_run_asks_for_has_places_of_its_own() {
  RunQueue queue(2);
  std::vector<std::shared_ptr<Task>> tasks;
  for (int i = 0; i < 6; ++i) tasks.push_back(idle_task());
  CHECK(*queue.enter(entrant(tasks[0])) == RunQueue::Turn::kNow);
  CHECK(*queue.enter(entrant(tasks[1])) == RunQueue::Turn::kNow);
  CHECK(*queue.enter(entrant(tasks[2], 1)) == RunQueue::Turn::kNow);
  CHECK(*queue.enter(entrant(tasks[3], 2)) == RunQueue::Turn::kNow);
  CHECK(*queue.enter(entrant(tasks[4])) == RunQueue::Turn::kLater);
  CHECK(*queue.enter(entrant(tasks[5], 1)) == RunQueue::Turn::kNow);
}

void who_is_cancelled_in_line_leaves_it_one_by_one() {
  RunQueue queue(3);
  std::vector<std::shared_ptr<Task>> tasks;
  for (int i = 0; i < 5; ++i) tasks.push_back(idle_task());
  for (const auto& task : tasks) CHECK(queue.enter(entrant(task)).ok());
  CHECK(queue.hurry(tasks[0].get()) == nullptr);   // it runs
  CHECK(queue.hurry(tasks[3].get()) == tasks[3]);  // its end is reported now
  CHECK(queue.hurry(tasks[2].get()) == nullptr);   // after the end of the previous one
  CHECK(queue.hurry(tasks[2].get()) == nullptr);
  CHECK(queue.leave(tasks[3].get()) == tasks[2]);
  CHECK(queue.leave(tasks[2].get()) == nullptr);
  CHECK(queue.leave(tasks[0].get()) == tasks[4]);
}

void the_cancelled_of_one_level_do_not_wait_for_those_of_another() {
  RunQueue queue(3);
  std::vector<std::shared_ptr<Task>> tasks;
  for (int i = 0; i < 6; ++i) tasks.push_back(idle_task());
  for (size_t i = 0; i < 3; ++i) CHECK(queue.enter(entrant(tasks[i])).ok());
  for (size_t i = 3; i < 6; ++i) CHECK(queue.enter(entrant(tasks[i], 1)).ok());
  CHECK(queue.hurry(tasks[2].get()) == tasks[2]);
  CHECK(queue.hurry(tasks[5].get()) == tasks[5]);
  CHECK(queue.leave(tasks[5].get()) == nullptr);
  CHECK(queue.leave(tasks[2].get()) == nullptr);
}

void the_lowest_priority_is_served_first() {
  RunQueue queue(8);
  std::vector<std::shared_ptr<Task>> tasks;
  for (int i = 0; i < 7; ++i) tasks.push_back(idle_task());
  const auto enter = [&](size_t i, int32_t priority) {
    RunQueue::Entrant one = entrant(tasks[i]);
    one.priority = priority;
    return *queue.enter(one);
  };
  CHECK(enter(0, 0) == RunQueue::Turn::kNow);
  CHECK(enter(1, 9) == RunQueue::Turn::kNow);
  CHECK(enter(2, 0) == RunQueue::Turn::kLater);
  CHECK(enter(3, 5) == RunQueue::Turn::kLater);
  CHECK(enter(4, -5) == RunQueue::Turn::kLater);
  CHECK(enter(5, 0) == RunQueue::Turn::kLater);
  for (const size_t next : {4, 2, 5, 3}) {
    CHECK(queue.leave(tasks[next == 4 ? 0 : next == 2 ? 4 : next == 5 ? 2 : 5].get()) == tasks[next]);
  }
}

}  // namespace

int main() {
  a_place_goes_to_who_has_waited_longest();
  what_a_run_asks_for_has_places_of_its_own();
  who_is_cancelled_in_line_leaves_it_one_by_one();
  the_cancelled_of_one_level_do_not_wait_for_those_of_another();
  the_lowest_priority_is_served_first();
  return check_result("run_queue_test");
}
