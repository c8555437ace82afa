// Looks at memory several times a second: evicts models that were idle for as long as keep_alive says, keeps
// conversations within the budget, and makes room on devices that are low on memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "base/threads/cancel.h"
#include "base/threads/mutex.h"
#include "base/threads/ticker.h"
#include "engine/models/memory_ledger.h"
#include "engine/models/memory_planner.h"
#include "engine/models/model_table.h"
#include "engine/models/model_unloader.h"
#include "hooks/dispatch/dispatcher.h"
#include "model/parameters.h"

namespace lh {

class MemoryWatch {
 public:
  // The parts of the engine that the watch reads and uses.
  struct Parts {
    const Dispatcher& dispatcher;
    CancelFlag& closing;
    const ModelTable& table;
    const MemoryLedger& ledger;
    ModelUnloader& unloader;
    MemoryPlanner& planner;
  };
  // `low_memory`: a device with fewer bytes left is low on memory; 0: no device is.
  MemoryWatch(const Parts& parts, uint64_t low_memory) : parts_(parts), low_memory_(low_memory) {}
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  // Before a model is loaded: begins to look, if anything is to be looked at. Does nothing after stop().
  void begin_for(const LoadParams& params);
  // Stops the watch; evicts nothing after it has returned. Called once.
  void stop();

 private:
  void look();
  void evict_idle();
  void keep_conversations_to_budget(uint64_t budget);
  void look_for_room();

  const Parts parts_;
  const uint64_t low_memory_;
  // The last plan for each device that is low on memory. Only the ticker's thread uses it.
  std::map<std::string, MemoryPlan> low_;
  Mutex mutex_;
  bool stopped_ LH_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Ticker> ticker_ LH_GUARDED_BY(mutex_);  // last: its thread uses the other members
};
static_assert(!std::is_copy_constructible_v<MemoryWatch>);

}  // namespace lh
