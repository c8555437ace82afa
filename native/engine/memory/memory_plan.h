// Computes whether a model fits on the devices, and what must be freed for it. Must not: load or unload anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "model/memory_footprint.h"

namespace lh {

[[nodiscard]] constexpr uint64_t bytes_of_mib(int32_t mib) { return static_cast<uint64_t>(mib) << 20; }

// The memory that a device can still give.
struct DeviceRoom {
  std::string device;
  uint64_t total = 0;
  uint64_t free = 0;               // the rest is taken, by this process or others
  std::optional<uint64_t> budget;  // that the models of this engine may take; none: only the device limits them
  uint64_t used = 0;               // by them, and by those that are being loaded

  // To this engine.
  [[nodiscard]] uint64_t left() const;
};

// A device on which something does not fit.
struct MemoryShortage {
  DeviceRoom room;
  uint64_t needed = 0;
  uint64_t left = 0;
  uint64_t missing = 0;      // more than the difference where the budget is overdrawn already
  bool weights_fit = false;  // it is the context that does not
};

// The first device on which the need is larger than the memory that is left. Mapped pages of a file count against a
// budget, but not against free memory: the system reclaims them when it needs to.
[[nodiscard]] std::optional<MemoryShortage> shortage(const MemoryUse& need, const std::vector<DeviceRoom>& rooms);

// A loaded model that is not in use.
struct IdleModel {
  std::string model_id;
  MemoryFootprint memory;
  uint64_t last_used_us = 0;  // since the Unix epoch
  bool pinned = false;
};

// Reduces the rooms by the memory that must stay free: `reserve` bytes, and without a budget some memory for others.
[[nodiscard]] std::vector<DeviceRoom> with_reserve(std::vector<DeviceRoom> rooms, uint64_t reserve);

// The rooms after all idle conversations and all candidates that are not pinned have gone. `held`: the memory that all
// hold; reduced to that of those that are left.
[[nodiscard]] std::vector<DeviceRoom> without(std::vector<DeviceRoom> rooms, const std::vector<IdleModel>& candidates,
                                              FootprintSum& held);

// The plan if nothing frees enough: none, or everything that can go.
enum class Enough { kOrNothing, kOrAll };

// The memory to give up: first conversations, then models, in this order.
struct MemoryPlan {
  uint64_t conversation_bytes = 0;  // of idle conversations
  std::vector<std::string> models;

  [[nodiscard]] bool empty() const { return conversation_bytes == 0 && models.empty(); }
  bool operator==(const MemoryPlan&) const = default;
};

// Plans what to free so that the need fits, least recently used models first. `held`: the memory that all hold,
// including the one in need.
[[nodiscard]] MemoryPlan plan_for(const MemoryUse& need, std::vector<DeviceRoom> rooms,
                                  std::vector<IdleModel> candidates, FootprintSum held, Enough enough);

// Writes memory_bytes of the contract.
[[nodiscard]] Json to_json(const MemoryUse& use);
// Writes model_memory of the contract, for each device.
[[nodiscard]] Json by_device(const MemoryUse& use);
// Writes the candidates as ON_VRAM_PRESSURE shows them: the models whose eviction alone frees memory of the device.
[[nodiscard]] Json to_json(const std::vector<IdleModel>& candidates, const FootprintSum& held,
                           const std::string& device);

}  // namespace lh
