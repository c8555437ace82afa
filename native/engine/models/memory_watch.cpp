#include "engine/models/memory_watch.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include "base/system/log.h"
#include "base/text/names.h"
#include "engine/models/hook_scope.h"

namespace lh {
namespace {

constexpr auto kPeriod = std::chrono::milliseconds(250);

}  // namespace

void MemoryWatch::begin_for(const LoadParams& params) {
  if (!params.keep_alive && low_memory_ == 0 && !parts_.ledger.has_budgets()) return;
  const MutexLock lock(mutex_);
  if (stopped_ || ticker_) return;
  ticker_ = std::make_unique<Ticker>(kPeriod, [this] { look(); });
}

void MemoryWatch::stop() {
  std::unique_ptr<Ticker> ticker;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    ticker = std::move(ticker_);
  }
}  // the ticker's thread is joined here, without the lock

void MemoryWatch::look() {
  try {
    evict_idle();
    if (const auto budget = parts_.ledger.budget_of(kMainMemory)) keep_conversations_to_budget(*budget);
    if (low_memory_ > 0) look_for_room();
  } catch (const std::exception& error) {
    log_line(LogLevel::kError, std::string("looking for memory: ") + error.what());
  }
}

void MemoryWatch::evict_idle() {
  std::vector<std::string> due;
  {
    const TableLock lock(parts_.table);
    for (const auto& [id, entry] : parts_.table.entries()) {
      if (!entry.idle() || !entry.model->params.keep_alive || entry.model->params.pinned) continue;
      const std::chrono::seconds most(*entry.model->params.keep_alive);
      if (std::chrono::steady_clock::now() - entry.last_used >= most) due.push_back(id);
    }
  }
  for (const std::string& id : due) {
    static_cast<void>(parts_.unloader.evict(id, "not used for as long as " + shown_field("keep_alive") + " says"));
  }
}

// Drops conversations over the budget, without a hook: they are a cache, which also drops those over its size.
void MemoryWatch::keep_conversations_to_budget(uint64_t budget) {
  uint64_t over = 0;
  {
    const TableLock lock(parts_.table);
    const FootprintSum all = parts_.ledger.held();
    const uint64_t used = bytes_on(all.total(), kMainMemory);
    if (used > budget) over = std::min(used - budget, all.conversations());
  }
  if (over > 0) parts_.unloader.drop_conversations(over);
}

// Again for the same device only when something went, something else can be evicted, or after it had enough.
void MemoryWatch::look_for_room() {
  const MemoryLedger& ledger = parts_.ledger;
  std::vector<MemoryPressure> found;
  {
    const TableLock lock(parts_.table);
    const std::vector<DeviceRoom> all = ledger.rooms();
    for (const DeviceRoom& room : all) {
      if (room.left() >= low_memory_) {
        low_.erase(room.device);
        continue;
      }
      const MemoryUse need = {{room.device, low_memory_, 0, 0, 0}};
      const auto plan = plan_for(need, all, ledger.idle_models(), ledger.held(), Enough::kOrAll);
      const MemoryPlan same{plan.conversation_bytes > 0 ? 1ULL : 0ULL, plan.models};  // the sizes do not matter
      if (plan.empty() || low_[room.device] == same) continue;
      low_[room.device] = same;
      const MemoryShortage missing{room, low_memory_, room.left(), low_memory_ - room.left(), false};
      found.push_back({missing, "warning", "low_memory", ledger.idle_models(), ledger.held(), plan});
    }
  }
  for (MemoryPressure& pressure : found) {
    Refusal refused;
    const Scope scope = scope_of_engine("", parts_.closing);
    const Status status = parts_.planner.relieve(pressure, scope, refused);
    {
      const TableLock lock(parts_.table);
      const bool dropped = ledger.held().conversations() < pressure.held.conversations();
      if (dropped) low_[pressure.shortage.room.device].conversation_bytes = 0;  // later conversations are new
    }
    if (pressure.models_went) low_.erase(pressure.shortage.room.device);  // and may come back
    if (status.code() != Code::kInvalidArgument) continue;
    parts_.dispatcher.error(scope, code_name(status.code()), status.message(), "memory", true);
  }
}

}  // namespace lh
