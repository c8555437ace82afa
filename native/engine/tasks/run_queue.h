// Decides which generations (and other uses of a model) of an engine run, and which wait: only running ones need a
// thread. Its owner's lock guards it, and its owner starts, ends and cancels the tasks.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "engine/tasks/task.h"

namespace lh {

// Each model has lanes: one for generations that callers start, one for those that hooks of these start, and so on. A
// lane has places and a line, ordered by priority and arrival. A run keeps its place while its hooks wait, and may wait
// only for runs of a deeper lane. With a single lane, all places could be taken by runs that wait for a place.
class RunQueue {
 public:
  // `max_waiting`: the maximum length of a line.
  explicit RunQueue(size_t max_waiting) : max_waiting_(max_waiting) {}
  RunQueue(const RunQueue&) = delete;
  RunQueue& operator=(const RunQueue&) = delete;

  // Kinds of work on a model; each has separate lanes.
  enum class Work { kGenerate, kEmbed };
  struct Entrant {
    std::shared_ptr<Task> task;
    std::string model_id;
    int level = 0;         // how many nested runs wait for it; 0: a caller started it
    size_t places = 1;     // how many tasks of its lane may run at once
    int32_t priority = 0;  // lowest first, then by arrival
    Work work = Work::kGenerate;
  };

  enum class Turn { kNow, kLater };
  // Places a task that is cancelled already as hurry() does. Errors: kBusy if the line is full.
  [[nodiscard]] Result<Turn> enter(const Entrant& entrant);
  // Undoes the enter() of a task that does not begin after all.
  void drop(const Task* task);
  // Ends a run. Returns the task that gets its place, or null.
  [[nodiscard]] std::shared_ptr<Task> leave(const Task* task);
  // Moves a cancelled waiting task ahead: it only has to report its end, and does so out of turn, one task per level at
  // a time. Returns the task that may do so now; null if there is none, or if `task` is not waiting.
  [[nodiscard]] std::shared_ptr<Task> hurry(const Task* task);

 private:
  struct Key {
    std::string model_id;
    Work work;
    int level;
    auto operator<=>(const Key&) const = default;
  };
  struct Waiting {
    std::shared_ptr<Task> task;
    int32_t priority = 0;
  };
  struct Lane {
    size_t places = 1;
    size_t running = 0;
    std::deque<Waiting> line;  // by priority
  };

  [[nodiscard]] std::shared_ptr<Task> next(const Key& key);

  const size_t max_waiting_;
  std::map<const Task*, Key> running_;
  std::map<Key, Lane> lanes_;  // lanes in use
};
static_assert(!std::is_copy_constructible_v<RunQueue>);

}  // namespace lh
