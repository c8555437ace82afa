// Which generations (and other uses of a model) of an engine run, and which wait for their turn: a thread each only for
// those that run. Must not: start, end or cancel anything. Its owner's lock guards it.
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

// Each model has lanes: one for the generations that callers start, one for those that hooks of these start, and so on.
// A lane has places and a line, first come first served among those of one priority. A run holds its place while its
// hooks wait, and may wait only for runs of a deeper lane: places of one lane for all could be taken by runs that wait
// for a place.
class RunQueue {
 public:
  // `max_waiting`: generations that may stand in one line.
  explicit RunQueue(size_t max_waiting) : max_waiting_(max_waiting) {}
  RunQueue(const RunQueue&) = delete;
  RunQueue& operator=(const RunQueue&) = delete;

  // What is done with a model: each has lanes of its own.
  enum class Work { kGenerate, kEmbed };
  struct Entrant {
    std::shared_ptr<Task> task;
    std::string model_id;
    int level = 0;         // how many runs wait for it, one inside the other; 0: a caller's own
    size_t places = 1;     // how many of its model's lane may run at once
    int32_t priority = 0;  // the lowest is served first, of equals who came first
    Work work = Work::kGenerate;
  };

  enum class Turn { kNow, kLater };
  // Errors: kBusy when the line is full.
  [[nodiscard]] Result<Turn> enter(const Entrant& entrant);
  // One that has just entered does not begin after all: as if it had not entered.
  void drop(const Task* task);
  // A run has ended, and its place goes on: to the one returned, unless that is null.
  [[nodiscard]] std::shared_ptr<Task> leave(const Task* task);
  // One that waits need not wait any longer, since it was cancelled: it has no more to do than to say so, and does that
  // out of turn, one of each level after the other. Gives the one that may do it now, if any; null also when it does
  // not wait.
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
  std::map<Key, Lane> lanes_;  // those in use
};
static_assert(!std::is_copy_constructible_v<RunQueue>);

}  // namespace lh
