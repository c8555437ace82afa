// Takes models out of the table, frees their memory, and fires ON_MODEL_UNLOAD.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "base/json/json.h"
#include "base/threads/cancel.h"
#include "engine/models/memory_ledger.h"
#include "engine/models/model_table.h"
#include "hooks/dispatch/dispatcher.h"

namespace lh {

class ModelUnloader {
 public:
  ModelUnloader(const Dispatcher& dispatcher, CancelFlag& closing, ModelTable& table, const MemoryLedger& ledger)
      : dispatcher_(dispatcher), closing_(closing), table_(table), ledger_(ledger) {}
  ModelUnloader(const ModelUnloader&) = delete;
  ModelUnloader& operator=(const ModelUnloader&) = delete;

  // After ModelTable::begin_unload(): waits for the load and for the last use. Returns the result of lh_model_unload.
  // Errors: kStuck if a cancelled step does not end within `patience` (0: no limit); the model then stays loaded.
  Result<Json> unload(const std::string& id, const std::string& reason, std::chrono::milliseconds patience);
  // The model is cold afterwards. False: it is in use, or is not loaded any more.
  bool evict(const std::string& id, const std::string& reason);
  // Drops about `bytes` bytes of idle conversations, beginning with the least recently used model.
  void drop_conversations(uint64_t bytes);

 private:
  // A model that was taken out of the table.
  struct Leaving {
    std::shared_ptr<LoadedModel> model;
    MemoryUse freed;
    bool was_told = false;  // the death of its process was reported to hooks
  };
  void tell(const Leaving& leaving, const std::string& reason) const;
  static void free_memory(const Leaving& leaving);

  const Dispatcher& dispatcher_;
  CancelFlag& closing_;
  ModelTable& table_;
  const MemoryLedger& ledger_;
};
static_assert(!std::is_copy_constructible_v<ModelUnloader>);

}  // namespace lh
