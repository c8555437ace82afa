#include "agent/session/compaction_memory.h"

#include <algorithm>
#include <utility>

#include "agent/permissions/call_key.h"

namespace lh {
namespace {

constexpr int32_t kMostBoost = 16;

bool is_count(const Json& value) { return value.is_number_integer() && value >= 0 && value <= INT32_MAX; }

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

Json CompactionMemory::to_json() const {
  const MutexLock lock(mutex_);
  Json lost = Json::object();
  for (const auto& [key, sizes] : lost_) lost[key] = Json::array({sizes.original, sizes.compressed});
  return {{"lost", std::move(lost)}, {"boosts", boosts_}, {"note", note_}, {"left_out", left_out_}};
}

Status CompactionMemory::restore(const Json& json) {
  const auto object = [&json](const char* key) { return json.contains(key) && json[key].is_object(); };
  const bool whole = json.size() == 4 && object("lost") && object("boosts") && json.contains("note") &&
                     json["note"].is_string() && json.contains("left_out") && is_count(json["left_out"]);
  if (!whole) return {Code::kSessionFileInvalid, "compactions has not its four parts, or has one of another type"};
  const MutexLock lock(mutex_);
  for (const auto& [key, sizes] : json["lost"].items()) {
    if (!sizes.is_array() || sizes.size() != 2 || !is_count(sizes[0]) || !is_count(sizes[1])) {
      return {Code::kSessionFileInvalid, "compactions.lost has what are no two sizes"};
    }
    lost_[key] = {sizes[0].get<size_t>(), sizes[1].get<size_t>()};
  }
  for (const auto& [tool, boost] : json["boosts"].items()) {
    if (!is_count(boost)) return {Code::kSessionFileInvalid, "compactions.boosts." + tool + " is no number"};
    boosts_[tool] = std::clamp(boost.get<int32_t>(), 1, kMostBoost);
  }
  note_ = json["note"].get<std::string>();
  left_out_ = json["left_out"].get<int32_t>();
  return {};
}

}  // namespace lh
