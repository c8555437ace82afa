#include "engine/models/model_unloader.h"

#include <algorithm>
#include <vector>

#include "engine/models/lifecycle_points.h"
#include "platform/heap.h"

namespace lh {

Result<Json> ModelUnloader::unload(const std::string& id, const std::string& reason,
                                   std::chrono::milliseconds patience) {
  Leaving leaving;
  {
    TableLock lock(table_);
    table_.wait_until_unused(lock, id);
    if (!table_.wait_until_let_go(lock, id, patience)) {
      return Status(Code::kStuck, "\"" + id + "\" stays loaded: a step that was cancelled is still inside llama.cpp");
    }
    if (const auto& model = table_.find(id)->model) {
      leaving.freed = ledger_.held().freed_with(model->generator->memory());
    }
    leaving.model = table_.erase(id);
    leaving.was_told = leaving.model != nullptr && leaving.model->is_lost;
  }
  Json result = {{"model_id", id}, {"freed", to_json(leaving.freed)}};
  if (leaving.model == nullptr) return result;  // it was evicted, which was reported to hooks then
  free_memory(leaving);
  tell(leaving, reason);
  return result;
}

bool ModelUnloader::evict(const std::string& id, const std::string& reason) {
  Leaving leaving;
  {
    const TableLock lock(table_);
    const ModelEntry* const found = table_.find(id);
    if (found == nullptr || !found->idle()) return false;
    leaving.freed = ledger_.held().freed_with(found->model->generator->memory());
    leaving.model = table_.begin_eviction(id);
    leaving.was_told = leaving.model->is_lost;
  }
  free_memory(leaving);
  table_.end_eviction(id);
  tell(leaving, reason);
  return true;
}

void ModelUnloader::tell(const Leaving& leaving, const std::string& reason) const {
  if (!leaving.was_told) tell_unloaded(dispatcher_, closing_, *leaving.model, leaving.freed, reason);
}

void ModelUnloader::free_memory(const Leaving& leaving) {
  leaving.model->generator.reset();
  trim_heap();
}

void ModelUnloader::drop_conversations(uint64_t bytes) {
  {
    const TableLock lock(table_);
    std::vector<const ModelEntry*> models;
    for (const auto& [id, entry] : table_.entries()) {
      if (entry.model) models.push_back(&entry);
    }
    std::ranges::sort(models, {}, [](const ModelEntry* one) { return one->last_used_us; });
    for (const ModelEntry* one : models) {
      if (bytes == 0) break;
      bytes -= std::min(bytes, one->model->generator->drop_conversations(bytes));
    }
  }
  trim_heap();
}

}  // namespace lh
