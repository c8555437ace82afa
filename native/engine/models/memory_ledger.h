// Counts, for each device, the memory that models hold, the memory that loads have reserved, and what is left.
// The table's lock guards the reservations too: a model is counted exactly once at any moment, as reserved or as held.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "engine/memory/memory_plan.h"
#include "engine/models/model_table.h"
#include "engine/tasks/requests.h"
#include "model/memory_footprint.h"
#include "model/model_runtime.h"

namespace lh {

class MemoryLedger {
 public:
  using Budgets = std::map<std::string, uint64_t>;  // bytes that models may take, by device
  // Errors: kInvalidArgument, for a device that is not here.
  [[nodiscard]] static Result<Budgets> budgets_of(const EngineOptions& options, const std::vector<Device>& devices);

  // A device without a budget: models may take all that it has.
  MemoryLedger(const ModelRuntime& runtime, const ModelTable& table, Budgets budgets)
      : runtime_(runtime), table_(table), budgets_(std::move(budgets)) {}
  MemoryLedger(const MemoryLedger&) = delete;
  MemoryLedger& operator=(const MemoryLedger&) = delete;

  [[nodiscard]] bool has_budgets() const { return !budgets_.empty(); }
  [[nodiscard]] std::optional<uint64_t> budget_of(const std::string& device) const;
  // The memory that a load takes beyond what is held: weights that are loaded already do not count again.
  [[nodiscard]] MemoryUse beyond(const MemoryFootprint& need) const;
  // The memory by device, as lh_engine_memory returns it.
  [[nodiscard]] Json memory() const;

  // Under the caller's TableLock.

  // The memory held by models, and by loads that have reserved memory.
  [[nodiscard]] FootprintSum held() const LH_REQUIRES(table_mutex);
  [[nodiscard]] std::vector<DeviceRoom> rooms() const LH_REQUIRES(table_mutex);
  [[nodiscard]] std::vector<IdleModel> idle_models() const LH_REQUIRES(table_mutex);
  // The holders of the device's memory, in words for a message.
  [[nodiscard]] std::string holders(const std::string& device) const LH_REQUIRES(table_mutex);
  // The description that lh_model_describe returns.
  [[nodiscard]] Json describe(const ModelEntry& entry) const LH_REQUIRES(table_mutex);

  // Memory that a load has reserved; empty: none.
  using Reserved = std::optional<std::list<MemoryFootprint>::iterator>;
  // None: there is room, and it is reserved.
  [[nodiscard]] std::optional<MemoryShortage> reserve(const MemoryFootprint& need, Reserved& reserved)
      LH_REQUIRES(table_mutex);
  void release(Reserved& reserved) LH_REQUIRES(table_mutex);

 private:
  [[nodiscard]] FootprintSum loaded() const LH_REQUIRES(table_mutex);

  const ModelRuntime& runtime_;
  const ModelTable& table_;
  const Budgets budgets_;
  std::list<MemoryFootprint> reserved_ LH_GUARDED_BY(table_mutex);
  // The free memory and the memory held by models, by device, at the last moment without a load. A load takes its
  // memory bit by bit, so memory that is free meanwhile is not all available to others.
  std::map<std::string, uint64_t> before_loads_ LH_GUARDED_BY(table_mutex);
};
static_assert(!std::is_copy_constructible_v<MemoryLedger>);

// The number in MiB, with one decimal.
[[nodiscard]] std::string mib_text(uint64_t bytes);

}  // namespace lh
