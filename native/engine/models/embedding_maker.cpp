#include "engine/models/embedding_maker.h"

#include <memory>
#include <string>

#include "base/threads/cancel.h"
#include "hooks/calls/operation.h"

namespace lh {

// One at a time of one model: other callers wait, and then may find the context made.
class EmbeddingMaker::Making {
 public:
  Making(EmbeddingMaker& maker, const Embedder& embedder)
      : maker_(maker), embedder_(embedder), operation_(Operation::current()) {
    operation_->uses.add(&embedder_);
  }
  ~Making() {
    operation_->uses.remove(&embedder_);
    if (!claimed_) return;
    const MutexLock lock(maker_.mutex_);
    maker_.being_made_.erase(&embedder_);
    maker_.changed_.notify_all();
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

  // Waits for the caller that makes one now. False: it is there already. Errors: kCancelled.
  [[nodiscard]] Result<bool> claim(PoolingType pooling, const CancelFlag& cancel) {
    MutexLock lock(maker_.mutex_);
    while (!cancel.cancelled() && maker_.being_made_.contains(&embedder_)) lock.wait(maker_.changed_);
    if (cancel.cancelled()) return Status(cancel.why(), "cancelled before the texts were computed: " + cancel.reason());
    if (embedder_.has(pooling)) return false;
    maker_.being_made_.insert(&embedder_);
    return claimed_ = true;
  }

 private:
  EmbeddingMaker& maker_;
  const Embedder& embedder_;
  const std::shared_ptr<Operation> operation_;
  bool claimed_ = false;
};

Status EmbeddingMaker::make(const ModelTable::Use& model, PoolingType pooling, const Work& work, Refusal& refused) {
  Embedder& embedder = model->generator->embedder();
  if (embedder.has(pooling)) return {};
  const CancelListener listening(work.cancel, mutex_, changed_);
  Making making(*this, embedder);
  const auto mine = making.claim(pooling, work.cancel);
  if (!mine.ok() || !*mine) return mine.status();
  return memory_.make_in_room(
      model->id, "\"" + model->id + "\"", loads_.need_of_embeddings(*model, pooling),
      [&] { return embedder.make(pooling); }, work, refused);
}

}  // namespace lh
