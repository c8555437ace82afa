#include "llama/base/weights.h"

#include <chrono>
#include <exception>
#include <utility>

#include "llama/base/model_file.h"
#include "llama/base/weights_table.h"

namespace lh {
namespace {

// The interval at which a caller that waits for another's load checks whether it is aborted, and reports progress.
constexpr auto kLook = std::chrono::milliseconds(20);

}  // namespace

Result<std::shared_ptr<LlamaWeights>> WeightsTable::open(const std::string& key, const std::string& path,
                                                         const std::vector<std::string>& files,
                                                         const LoadParams& params,
                                                         const std::function<bool(float)>& progress) {
  {
    MutexLock lock(mutex_);
    std::erase_if(slots_, [](const auto& slot) { return !slot.second.being_read && slot.second.weights.expired(); });
    for (;;) {
      Slot& slot = slots_[key];
      std::shared_ptr<LlamaWeights> there = slot.weights.lock();
      if (!there && !slot.being_read) {
        slot.being_read = true;
        slot.progress = 0;
        break;
      }
      const float so_far = there ? 1 : slot.progress;
      lock.unlock();
      if (!progress(so_far)) return Status(Code::kCancelled, "loading " + path + " was cancelled");
      if (there) return there;
      lock.lock();
      if (slots_[key].being_read) lock.wait_until(changed_, std::chrono::steady_clock::now() + kLook);
    }
  }
  return read(key, path, files, params, progress);
}

Result<std::shared_ptr<LlamaWeights>> WeightsTable::read(const std::string& key, const std::string& path,
                                                         const std::vector<std::string>& files,
                                                         const LoadParams& params,
                                                         const std::function<bool(float)>& progress) {
  std::shared_ptr<LlamaWeights> weights;
  const std::shared_ptr<void> ended(nullptr, [&](void*) {
    const MutexLock lock(mutex_);
    slots_[key].being_read = false;
    slots_[key].weights = weights;
    changed_.notify_all();
  });
  auto model = open_model(path, params, Weights::kRead, [&](float fraction) {
    {
      const MutexLock lock(mutex_);
      slots_[key].progress = fraction;
    }
    return progress(fraction);
  });
  if (!model.ok()) return model.status();
  weights = std::make_shared<LlamaWeights>(*std::move(model), key, params.mmap ? files : std::vector<std::string>());
  return Result(weights);  // a copy, because the slot gets one, too
}

}  // namespace lh
