#include "agent/session/compaction_memory.h"

#include <algorithm>
#include <utility>

#include "agent/permissions/call_key.h"

namespace lh {
namespace {

constexpr int32_t kMostBoost = 16;

}  // namespace

void CompactionMemory::lose(const ToolCall& call, Lost lost) {
  const MutexLock lock(mutex_);
  lost_[call_key(call)] = lost;
}

std::optional<CompactionMemory::Lost> CompactionMemory::take(const ToolCall& call) {
  const MutexLock lock(mutex_);
  const auto found = lost_.find(call_key(call));
  if (found == lost_.end()) return std::nullopt;
  const Lost lost = found->second;
  lost_.erase(found);
  return lost;
}

int32_t CompactionMemory::boost(const std::string& tool) const {
  const MutexLock lock(mutex_);
  const auto found = boosts_.find(tool);
  return found == boosts_.end() ? 1 : found->second;
}

int32_t CompactionMemory::raise_boost(const std::string& tool) {
  const int32_t raised = std::min(kMostBoost, 2 * boost(tool));
  const MutexLock lock(mutex_);
  return boosts_[tool] = raised;
}

std::string CompactionMemory::note() const {
  const MutexLock lock(mutex_);
  return note_;
}

int32_t CompactionMemory::left_out() const {
  const MutexLock lock(mutex_);
  return left_out_;
}

void CompactionMemory::set_note(std::string note, int32_t left_out) {
  const MutexLock lock(mutex_);
  note_ = std::move(note);
  left_out_ = left_out;
}

void CompactionMemory::forget() {
  const MutexLock lock(mutex_);
  lost_.clear();
  note_.clear();
  left_out_ = 0;
}

SavedCompactions CompactionMemory::saved() const {
  const MutexLock lock(mutex_);
  SavedCompactions saved{{}, boosts_, note_, left_out_};
  for (const auto& [key, sizes] : lost_) saved.lost[key] = {sizes.original, sizes.compressed};
  return saved;
}

void CompactionMemory::restore(SavedCompactions saved) {
  const MutexLock lock(mutex_);
  for (const auto& [key, sizes] : saved.lost) lost_[key] = {sizes[0], sizes[1]};
  for (const auto& [tool, boost] : saved.boosts) boosts_[tool] = std::clamp(boost, 1, kMostBoost);
  note_ = std::move(saved.note);
  left_out_ = saved.left_out;
}

}  // namespace lh
