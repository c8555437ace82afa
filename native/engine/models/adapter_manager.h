// The adapters of an engine: each id names one adapter, across all models.
// Must not: hold adapters; their models do, and take them along when they go.
#pragma once

#include <set>
#include <string>
#include <type_traits>

#include "base/threads/mutex.h"
#include "engine/models/model_manager.h"
#include "engine/tasks/requests.h"
#include "engine/tasks/task.h"

namespace lh {

class AdapterManager {
 public:
  explicit AdapterManager(ModelManager& models) : models_(models) {}
  AdapterManager(const AdapterManager&) = delete;
  AdapterManager& operator=(const AdapterManager&) = delete;

  // Keeps the name for a load that is about to run; kAdapterInUse when it is taken.
  [[nodiscard]] Status reserve(const std::string& id);
  void drop_reservation(const std::string& id);
  // Does the load of a reserved name, on this thread.
  [[nodiscard]] TaskEnd load(const std::string& id, const AdapterRequest& request, const ModelUse& model,
                             const Work& work);
  // The model that has the adapter. Errors: kNotFound.
  [[nodiscard]] Result<ModelManager::Use> model_of(const std::string& id) const;
  [[nodiscard]] Json list() const;

 private:
  ModelManager& models_;
  Mutex mutex_;
  std::set<std::string> loading_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<AdapterManager>);

}  // namespace lh
