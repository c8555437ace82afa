#include "engine/tasks/run_queue.h"

#include <algorithm>

#include "base/text/names.h"

namespace lh {
namespace {

const std::string kCancelled;  // the lanes of tasks that are cancelled before their turn; no model's name is empty

}  // namespace

Result<RunQueue::Turn> RunQueue::enter(const Entrant& entrant) {
  const bool cancelled = entrant.task->cancel_flag().cancelled();
  const Key key{cancelled ? kCancelled : entrant.model_id, entrant.work, entrant.level};
  const size_t places = cancelled ? 1 : entrant.places;
  const auto found = lanes_.find(key);
  const size_t waiting = found == lanes_.end() ? 0 : found->second.line.size();
  const bool free = found == lanes_.end() || (waiting == 0 && found->second.running < places);
  if (!free && !cancelled && waiting >= max_waiting_) {
    return Status(Code::kBusy, std::to_string(waiting) +
                                   (entrant.work == Work::kEmbed ? " calls for vectors of \"" : " generations of \"") +
                                   entrant.model_id + "\" wait for their turn, as many as " +
                                   shown_field("max_queued") + " allows");
  }
  Lane& lane = lanes_[key];
  lane.places = places;
  if (!free) {
    const auto before = std::ranges::upper_bound(lane.line, entrant.priority, {}, &Waiting::priority);
    lane.line.insert(before, {entrant.task, entrant.priority});
    return Turn::kLater;
  }
  running_.emplace(entrant.task.get(), key);
  ++lane.running;
  return Turn::kNow;
}

std::shared_ptr<Task> RunQueue::leave(const Task* task) {
  const auto run = running_.find(task);
  if (run == running_.end()) return nullptr;
  const Key key = run->second;
  running_.erase(run);
  --lanes_[key].running;
  return next(key);
}

void RunQueue::drop(const Task* task) {
  for (auto& [key, lane] : lanes_) {
    std::erase_if(lane.line, [task](const Waiting& one) { return one.task.get() == task; });
  }
  static_cast<void>(leave(task));  // no task waits behind a task that did not wait itself
}

std::shared_ptr<Task> RunQueue::hurry(const Task* task) {
  for (auto& [key, lane] : lanes_) {
    const auto found = std::ranges::find(lane.line, task, [](const Waiting& one) { return one.task.get(); });
    if (found == lane.line.end() || key.model_id == kCancelled) continue;
    const Key cancelled{kCancelled, key.work, key.level};
    Waiting waiting = std::move(*found);
    lane.line.erase(found);
    lanes_[cancelled].line.push_back(std::move(waiting));
    return next(cancelled);
  }
  return nullptr;
}

std::shared_ptr<Task> RunQueue::next(const Key& key) {
  Lane& lane = lanes_[key];
  if (lane.line.empty() || lane.running >= lane.places) {
    if (lane.line.empty() && lane.running == 0) lanes_.erase(key);
    return nullptr;
  }
  std::shared_ptr<Task> first = std::move(lane.line.front().task);
  lane.line.pop_front();
  ++lane.running;
  running_.emplace(first.get(), key);
  return first;
}

}  // namespace lh
