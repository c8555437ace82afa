// Makes the contexts that compute embeddings, when they are used first, and reserves memory for them.
#pragma once

#include <condition_variable>
#include <set>
#include <type_traits>

#include "base/threads/mutex.h"
#include "engine/models/load_planner.h"
#include "engine/models/memory_planner.h"
#include "engine/models/model_table.h"
#include "generation/work.h"
#include "hooks/dispatch/decision_log.h"
#include "model/generator.h"

namespace lh {

class EmbeddingMaker {
 public:
  EmbeddingMaker(LoadPlanner& loads, MemoryPlanner& memory) : loads_(loads), memory_(memory) {}
  EmbeddingMaker(const EmbeddingMaker&) = delete;
  EmbeddingMaker& operator=(const EmbeddingMaker&) = delete;

  // Makes the context of this pooling, unless it is there; one caller at a time for each model. Called by work, on its
  // thread. Errors: kInsufficientMemory, kInvalidArgument (the plan of a hook), kCancelled, kClosed, kNoThread.
  [[nodiscard]] Status make(const ModelTable::Use& model, PoolingType pooling, const Work& work, Refusal& refused);

 private:
  class Making;

  LoadPlanner& loads_;
  MemoryPlanner& memory_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::set<const Embedder*> being_made_ LH_GUARDED_BY(mutex_);  // whose contexts are
};
static_assert(!std::is_copy_constructible_v<EmbeddingMaker>);

}  // namespace lh
