#include "engine/memory/memory_plan.h"

#include <algorithm>

namespace lh {
namespace {

uint64_t less(uint64_t from, uint64_t what) { return from > what ? from - what : 0; }

std::optional<MemoryShortage> shortage_on(const DeviceUse& need, const DeviceRoom& room) {
  const uint64_t firm = need.firm();
  const uint64_t allowed = room.budget ? less(*room.budget, room.used) : UINT64_MAX;
  if (need.total() <= allowed && firm <= room.free) return {};
  const bool by_budget = need.total() > allowed;
  MemoryShortage found{room, by_budget ? need.total() : firm, by_budget ? allowed : room.free, 0, false};
  const uint64_t over_budget = room.budget ? less(need.total() + room.used, *room.budget) : 0;
  found.missing = std::max(over_budget, less(firm, room.free));
  found.weights_fit = need.model <= allowed && need.model - need.mapped <= room.free;
  return found;
}

// Changes the rooms as if the model were unloaded.
void give_back(std::vector<DeviceRoom>& rooms, const MemoryUse& memory) {
  for (DeviceRoom& room : rooms) {
    const auto held = std::ranges::find(memory, room.device, &DeviceUse::device);
    if (held == memory.end()) continue;
    room.used = less(room.used, held->total());
    room.free = std::min(room.total, room.free + held->firm());
  }
}

MemoryUse conversations(uint64_t bytes) { return {{.device = kMainMemory, .context = bytes}}; }

}  // namespace

uint64_t DeviceRoom::left() const { return budget ? std::min(free, less(*budget, used)) : free; }

std::optional<MemoryShortage> shortage(const MemoryUse& need, const std::vector<DeviceRoom>& rooms) {
  for (const DeviceUse& one : need) {
    const auto room = std::ranges::find(rooms, one.device, &DeviceRoom::device);
    if (room == rooms.end()) continue;
    if (auto found = shortage_on(one, *room)) return found;
  }
  return {};
}

std::vector<DeviceRoom> with_reserve(std::vector<DeviceRoom> rooms, uint64_t reserve) {
  constexpr uint64_t kMostForOthers = 1ULL << 30;
  for (DeviceRoom& room : rooms) {
    const uint64_t for_others = room.budget ? 0 : std::min(kMostForOthers, room.free / 8);
    room.free = less(room.free, std::max(reserve, for_others));
    if (room.budget) room.budget = less(*room.budget, reserve);
  }
  return rooms;
}

std::vector<DeviceRoom> without(std::vector<DeviceRoom> rooms, const std::vector<IdleModel>& candidates,
                                FootprintSum& held) {
  give_back(rooms, conversations(held.conversations()));
  held.remove({{}, {}, held.conversations()});
  for (IdleModel one : candidates) {
    if (one.pinned) continue;
    one.memory.conversations = 0;
    give_back(rooms, held.freed_with(one.memory));
    held.remove(one.memory);
  }
  return rooms;
}

MemoryPlan plan_for(const MemoryUse& need, std::vector<DeviceRoom> rooms, std::vector<IdleModel> candidates,
                    FootprintSum held, Enough enough) {
  std::ranges::sort(candidates, {}, &IdleModel::last_used_us);
  MemoryPlan plan;
  bool are_conversations_counted = false;
  const auto look = [&] {
    const auto missing = shortage(need, rooms);
    if (!missing || are_conversations_counted || missing->room.device != kMainMemory) return missing;
    are_conversations_counted = true;
    plan.conversation_bytes = std::min(held.conversations(), missing->missing);
    give_back(rooms, conversations(plan.conversation_bytes));
    // Either that is enough, or all of them go.
    held.remove({{}, {}, held.conversations()});
    for (IdleModel& one : candidates) one.memory.conversations = 0;
    return shortage(need, rooms);
  };
  auto missing = look();
  for (const IdleModel& one : candidates) {
    if (!missing) break;
    const MemoryUse freed = held.freed_with(one.memory);
    if (one.pinned || bytes_on(freed, missing->room.device) == 0) continue;
    give_back(rooms, freed);
    held.remove(one.memory);
    plan.models.push_back(one.model_id);
    missing = look();
  }
  return missing && enough == Enough::kOrNothing ? MemoryPlan() : plan;
}

Json to_json(const MemoryUse& use) { return {{"device_bytes", device_bytes(use)}, {"host_bytes", host_bytes(use)}}; }

Json by_device(const MemoryUse& use) {
  Json json = Json::array();
  for (const DeviceUse& one : use) {
    json.push_back({{"device", one.device},
                    {"layers", one.layers},
                    {"model_bytes", one.model},
                    {"context_bytes", one.context},
                    {"compute_bytes", one.compute}});
  }
  return json;
}

Json to_json(const std::vector<IdleModel>& candidates, const FootprintSum& held, const std::string& device) {
  Json json = Json::array();
  for (const IdleModel& one : candidates) {
    const uint64_t bytes = bytes_on(held.freed_with(one.memory), device);
    if (bytes == 0) continue;
    json.push_back(
        {{"model_id", one.model_id}, {"bytes", bytes}, {"last_used", one.last_used_us}, {"pinned", one.pinned}});
  }
  return json;
}

}  // namespace lh
