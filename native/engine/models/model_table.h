// The models of one engine by name: the state of each, its users, and the work that waits for it.
// Must not: be locked while a hook runs or a file is read.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/threads/cancel.h"
#include "base/threads/mutex.h"
#include "engine/models/shared_load.h"
#include "engine/tasks/requests.h"
#include "model/generator.h"

namespace lh {

struct LoadedModel {
  std::string id;
  std::string path;
  LoadParams params;  // as hooks left them
  std::unique_ptr<Generator> generator;
  Json description;                         // as lh_model_describe gives it, but for what others change
  uint64_t number = 0;                      // of loads
  std::shared_ptr<const void> shared_load;  // the load that made it, only to be compared; null: other work needed it
  bool is_lost = false;                     // its process died, and hooks know; under the table's lock
};

struct ModelEntry {
  // kCold: evicted, or not loaded yet; the next use loads it. kEvicting leads there, kUnloading out of the table.
  enum class State { kLoading, kReady, kEvicting, kCold, kUnloading };

  State state = State::kLoading;
  std::shared_ptr<LoadedModel> model;       // of kReady and kUnloading
  std::shared_ptr<SharedLoad> shared_load;  // the load by name that made it; null: other work needed the model
  std::optional<LoadRequest> request;       // how it is loaded; none until a load has succeeded or was declared
  Json description;                         // with a request
  std::vector<AdapterInfo> adapters;        // of kCold, to be loaded with it
  int uses = 0;
  uint64_t last_used_us = 0;                          // since the Unix epoch
  std::chrono::steady_clock::time_point last_used{};  // the same moment, by a monotonic clock
  bool is_to_go = false;                              // to be unloaded as soon as it is loaded or evicted

  [[nodiscard]] bool usable() const { return state == State::kReady; }
  [[nodiscard]] bool idle() const { return usable() && uses == 0 && !model->generator->held_up(); }
  // True if it is loaded, or the next use loads it.
  [[nodiscard]] bool known() const { return request.has_value() && !is_to_go; }
  // The load or the eviction under way has ended.
  void settle(State to) { state = is_to_go ? State::kUnloading : to; }
};

// The mutex of the table, as clang's analysis knows it. Several classes lock the table, each through its own reference,
// and an engine has one table: so one name denotes its mutex everywhere. It is declared only, never defined.
class LH_CAPABILITY("mutex") TableMutex {};
extern TableMutex table_mutex;

class TableLock;

class ModelTable {
 public:
  using Entries = std::map<std::string, ModelEntry>;
  // A model in use; holding it keeps the model loaded.
  using Use = std::shared_ptr<LoadedModel>;

  ModelTable() = default;
  ModelTable(const ModelTable&) = delete;
  ModelTable& operator=(const ModelTable&) = delete;

  // `id` empty: the only one. Errors: kModelNotLoaded.
  [[nodiscard]] Status known(const std::string& id) const;
  [[nodiscard]] Result<Use> use(const std::string& id);
  // The model that work will use which is about to begin.
  struct Wanted {
    std::string id;
    size_t parallel;
    Use model;  // null: it is cold
  };
  // Errors: kModelNotLoaded; kReentrant inside a hook that holds up the load that it would wait for.
  [[nodiscard]] Result<Wanted> want(const std::string& id);
  // A model in use, or the load of a cold one, which the caller now has to do.
  struct Claim {
    Use model;  // null: the caller loads it
    LoadRequest request;
    const void* load = nullptr;  // what the load counts as a use of: see Operation::uses
  };
  // Waits while the model is loading or being evicted. Errors: kModelNotLoaded; kCancelled or kClosed by `cancel`.
  [[nodiscard]] Result<Claim> use_or_load(const std::string& id, CancelFlag& cancel);
  // The use that fill() has counted.
  [[nodiscard]] Use counted_use(LoadedModel* model);
  [[nodiscard]] std::vector<std::string> usable_ids() const;
  // No work uses the model, and none holds up its decode thread.
  [[nodiscard]] bool unused(const std::string& id) const;
  // The names of the models that are in memory.
  [[nodiscard]] std::vector<std::string> held_ids() const;

  // No new use from now on. Errors: kModelNotLoaded; kReentrant inside a hook that holds up a use of the model, or its
  // load.
  [[nodiscard]] Status begin_unload(const std::string& id);
  void cancel_unload(const std::string& id);
  // The model was freed.
  void end_eviction(const std::string& id);

  // The adapters of all models, each with its model's id. An evicted model gets its adapters back when it is loaded
  // again.
  [[nodiscard]] std::vector<std::pair<std::string, AdapterInfo>> adapters() const;
  // The adapters that a model had before it was evicted; none if another file is loaded by that name now.
  [[nodiscard]] std::vector<AdapterInfo> adapters_to_bring_back(const std::string& id, const std::string& path) const;
  // True: an evicted model had it, and will not have it again.
  bool forget_adapter(const std::string& id);

  // Under the caller's TableLock: for several questions that need one answer, and for changes that go together with
  // changes of the caller's data.

  [[nodiscard]] const Entries& entries() const LH_REQUIRES(table_mutex) { return entries_; }
  [[nodiscard]] const ModelEntry* find(const std::string& id) const LH_REQUIRES(table_mutex);
  // The model that computes with `generator`; null: none does now.
  [[nodiscard]] std::shared_ptr<LoadedModel> find_loaded(const Generator& generator) const LH_REQUIRES(table_mutex);
  // Returns the model with its name. `id` empty: the only one. Errors: kModelNotLoaded.
  [[nodiscard]] Result<const Entries::value_type*> find_known(const std::string& id) const LH_REQUIRES(table_mutex);
  // The error for a name that no model has; it lists the names of the models.
  [[nodiscard]] Status not_loaded(const std::string& id) const LH_REQUIRES(table_mutex);
  // The first ten names, in quotes.
  [[nodiscard]] std::string known_names() const LH_REQUIRES(table_mutex);
  // Begins a load under a new name, or the name of a cold model: work that uses it waits until the load has ended.
  void begin_load(const std::string& id, std::shared_ptr<SharedLoad> shared_load) LH_REQUIRES(table_mutex);
  // The load has succeeded. `uses`: of the model, by the work that needed the load.
  const ModelEntry& fill(const std::shared_ptr<LoadedModel>& model, const LoadRequest& request,
                         const std::shared_ptr<SharedLoad>& shared_load, int uses) LH_REQUIRES(table_mutex);
  // The model is cold from now on.
  const ModelEntry& declare(const std::string& id, const LoadRequest& request, Json description)
      LH_REQUIRES(table_mutex);
  // The load has failed. The name is free, or that of the cold model that it was before.
  void end_without_model(const std::string& id) LH_REQUIRES(table_mutex);
  // Like begin_unload(), for a known model.
  [[nodiscard]] Status mark_unloading(const std::string& id) LH_REQUIRES(table_mutex);
  // Takes the model out of an idle entry.
  std::shared_ptr<LoadedModel> begin_eviction(const std::string& id) LH_REQUIRES(table_mutex);
  // Removes the entry. Null: it was cold.
  std::shared_ptr<LoadedModel> erase(const std::string& id) LH_REQUIRES(table_mutex);
  // Wakes all that wait.
  void tell_changed() LH_REQUIRES(table_mutex) { changed_.notify_all(); }
  // Until something has changed; or spuriously.
  void wait(TableLock& lock) LH_REQUIRES(table_mutex);
  // Until a model that is to be unloaded is neither loading nor in use.
  void wait_until_unused(TableLock& lock, const std::string& id) LH_REQUIRES(table_mutex);
  // Waits until the decode thread of a model that is to be unloaded has ended its abandoned steps. False: it has not
  // after `patience` (0: no limit), and the model is ready again.
  [[nodiscard]] bool wait_until_let_go(TableLock& lock, const std::string& id, std::chrono::milliseconds patience)
      LH_REQUIRES(table_mutex);
  // Wakes all that wait when the flag is set.
  [[nodiscard]] CancelListener wake_at(CancelFlag& cancel);

 private:
  friend class TableLock;

  Use count_use(const std::string& id) LH_REQUIRES(table_mutex);
  void end_use(std::string id);

  mutable Mutex mutex_;
  std::condition_variable changed_;
  Entries entries_ LH_GUARDED_BY(table_mutex);
  uint64_t last_number_ LH_GUARDED_BY(table_mutex) = 0;
};
static_assert(!std::is_copy_constructible_v<ModelTable>);

class LH_SCOPED_CAPABILITY TableLock {
 public:
  explicit TableLock(const ModelTable& table) LH_ACQUIRE(table_mutex) LH_NO_THREAD_SAFETY_ANALYSIS
      : lock_(table.mutex_) {}
  ~TableLock() LH_RELEASE() LH_NO_THREAD_SAFETY_ANALYSIS {}
  TableLock(const TableLock&) = delete;
  TableLock& operator=(const TableLock&) = delete;

  void unlock() LH_RELEASE() LH_NO_THREAD_SAFETY_ANALYSIS { lock_.unlock(); }
  void lock() LH_ACQUIRE() LH_NO_THREAD_SAFETY_ANALYSIS { lock_.lock(); }

 private:
  friend class ModelTable;

  MutexLock lock_;
};
static_assert(!std::is_copy_constructible_v<TableLock>);

// Errors: kReentrant inside a hook that holds up work that uses `thing`: `what` would wait for that work.
[[nodiscard]] Status may_wait_for_users_of(const void* thing, const std::string& what);

}  // namespace lh
