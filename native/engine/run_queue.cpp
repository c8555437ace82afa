#include "engine/run_queue.h"

#include <algorithm>

namespace lh {
namespace {

const std::pair<std::string, int> kCancelled{"", 0};  // no model's: names are not empty

}  // namespace

Result<RunQueue::Turn> RunQueue::enter(const Entrant& entrant) {
  const int level = level_of(entrant);
  Run run{{entrant.model_id, level}, level, entrant.run_id};
  const auto found = lanes_.find(run.lane);
  const size_t waiting = found == lanes_.end() ? 0 : found->second.line.size();
  const bool free = found == lanes_.end() || (waiting == 0 && found->second.running < entrant.places);
  if (!free && waiting >= max_waiting_) {
    return Status(Code::kBusy, std::to_string(waiting) + " generations of \"" + entrant.model_id +
                                   "\" wait for their turn, as many as max_queued allows");
  }
  Lane& lane = lanes_[run.lane];
  lane.places = entrant.places;
  if (!free) {
    lane.line.push_back({entrant.task, std::move(run)});
    return Turn::kLater;
  }
  running_.emplace(entrant.task.get(), std::move(run));
  ++lane.running;
  return Turn::kNow;
}

int RunQueue::level_of(const Entrant& entrant) const {
  auto parent = running_.end();
  if (entrant.parent_run_id.empty()) {
    parent = running_.find(Task::current());
  } else {
    parent = std::ranges::find_if(running_, [&](const auto& one) { return one.second.id == entrant.parent_run_id; });
  }
  return parent == running_.end() ? 0 : parent->second.level + 1;
}

std::shared_ptr<Task> RunQueue::leave(const Task* task) {
  const auto run = running_.find(task);
  if (run == running_.end()) return nullptr;
  const Key key = run->second.lane;
  running_.erase(run);
  --lanes_[key].running;
  return next(key);
}

std::shared_ptr<Task> RunQueue::hurry(const Task* task) {
  for (auto& [key, lane] : lanes_) {
    const auto found = std::ranges::find_if(lane.line, [task](const Waiting& one) { return one.task.get() == task; });
    if (found == lane.line.end() || key == kCancelled) continue;
    Waiting waiting = std::move(*found);
    lane.line.erase(found);
    waiting.run.lane = kCancelled;
    lanes_[kCancelled].line.push_back(std::move(waiting));
    return next(kCancelled);
  }
  return nullptr;
}

std::shared_ptr<Task> RunQueue::next(const Key& key) {
  Lane& lane = lanes_[key];
  if (lane.line.empty() || lane.running >= lane.places) {
    if (lane.line.empty() && lane.running == 0) lanes_.erase(key);
    return nullptr;
  }
  Waiting first = std::move(lane.line.front());
  lane.line.pop_front();
  ++lane.running;
  running_.emplace(first.task.get(), std::move(first.run));
  return std::move(first.task);
}

}  // namespace lh
