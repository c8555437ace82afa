// The models of one engine by name: loading, use, unloading, and the hooks around them.
// Must not: hold its lock while a hook runs or a file is read.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/cancel.h"
#include "base/mutex.h"
#include "engine/requests.h"
#include "engine/task.h"
#include "generation/model_source.h"
#include "generation/work.h"
#include "hooks/dispatcher.h"
#include "inference/generator.h"

namespace lh {

struct LoadedModel {
  std::string id;
  std::string path;
  std::unique_ptr<Generator> generator;
  Json description;  // as lh_model_describe gives it
  uint64_t device_bytes = 0;
  uint64_t host_bytes = 0;
};

class ModelManager final : public ModelSource {
 public:
  // `closing`: bounds the wait for hooks that nothing cancels. `offload`: whether models may be put on a GPU.
  ModelManager(const Dispatcher& dispatcher, CancelFlag& closing, bool offload)
      : dispatcher_(dispatcher), closing_(closing), offload_(offload) {}
  ModelManager(const ModelManager&) = delete;
  ModelManager& operator=(const ModelManager&) = delete;

  // Keeps the name for a load that is about to run; kModelInUse when it is taken.
  [[nodiscard]] Status reserve(const std::string& id);
  void drop_reservation(const std::string& id);
  // Does the load of a reserved name, on the work's thread. One that is cancelled before it returns leaves no model
  // behind.
  [[nodiscard]] TaskEnd load(const std::string& id, const LoadRequest& request, const Work& work);
  // No new use from now on. Errors: kModelNotLoaded; kReentrant inside a hook that holds up a use of the model.
  [[nodiscard]] Status begin_unload(const std::string& id);
  void cancel_unload(const std::string& id);
  // Waits for the last use, frees the model, fires ON_MODEL_UNLOAD.
  void finish_unload(const std::string& id, const std::string& reason);

  // A model in use with all that is known of it; holding it keeps it loaded. `id` empty: the only one.
  using Use = std::shared_ptr<LoadedModel>;
  [[nodiscard]] Result<Use> use(const std::string& id);
  [[nodiscard]] Result<ModelUse> acquire(const std::string& id) override;
  [[nodiscard]] std::vector<std::string> ids() const;
  [[nodiscard]] Json list() const;
  // Bytes held by the loaded models: on GPUs, in main memory.
  [[nodiscard]] std::pair<uint64_t, uint64_t> used_bytes() const;

 private:
  struct Entry {
    std::shared_ptr<LoadedModel> model;  // null while it loads
    int uses = 0;
    bool unloading = false;

    [[nodiscard]] bool usable() const { return model != nullptr && !unloading; }
  };

  Result<std::shared_ptr<LoadedModel>> load_file(const std::string& id, const LoadRequest& request, const Work& work,
                                                 Json& detail);
  class Reservation;
  [[nodiscard]] std::vector<std::string> usable_ids() const LH_REQUIRES(mutex_);
  void end_use(const std::string& id);

  // Of hooks that belong to no running operation: nothing cancels them.
  [[nodiscard]] Scope free_scope(const std::string& id) const;

  const Dispatcher& dispatcher_;
  CancelFlag& closing_;
  const bool offload_;
  mutable Mutex mutex_;
  std::condition_variable unused_;
  std::map<std::string, Entry> entries_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<ModelManager>);

}  // namespace lh
