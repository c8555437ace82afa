// One model in the other process: its place there, which it gets anew after each death, and the facts that do not
// change with it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "base/threads/mutex.h"
#include "isolation/client/lives.h"
#include "model/generator.h"
#include "model/parameters.h"

namespace lh {

// Makes a path absolute, because the other process has another working directory.
[[nodiscard]] std::string whole_path(const std::string& path);
[[nodiscard]] Json paths_made_whole(const LoadParams& params);

class ChildModel final : public Mortal {
 public:
  // The number of a model in one life of the process.
  struct Place {
    std::shared_ptr<Link> link;
    uint64_t number = 0;
  };

  // Errors: those of a load; kEngineCrashed.
  [[nodiscard]] static Result<std::shared_ptr<ChildModel>> load(std::shared_ptr<Lives> lives, const std::string& path,
                                                                const LoadParams& params,
                                                                const std::function<bool(float)>& progress);
  ChildModel(std::shared_ptr<Lives> lives, std::string path, const LoadParams& params)
      : lives_(std::move(lives)), path_(std::move(path)), params_(params) {}
  ~ChildModel() override;
  ChildModel(const ChildModel&) = delete;
  ChildModel& operator=(const ChildModel&) = delete;

  // The place that it has; after a death it is loaded again, with its adapters and contexts. Errors: those of load();
  // those of a cancel of the work on this thread (CancelScope).
  [[nodiscard]] Result<Place> place();
  // The place that it has; null: it has none.
  [[nodiscard]] Place place_now() const;
  // Sends a request with the model's number. The request must be safe to repeat: if the process dies by itself
  // meanwhile, it is sent once more, and ON_ERROR fires. `undo`: see Link::Call. `at`: receives the place that
  // answered; may be null. Errors: those of the request, and of place().
  [[nodiscard]] Result<Link::Answer> ask(Json json, std::string_view bytes = {}, const CancelFlag* cancel = nullptr,
                                         Place* at = nullptr, Link::Undo undo = {});
  // True: its process last died by itself, and was not ended because it was stuck.
  [[nodiscard]] bool died_by_itself() const;
  [[nodiscard]] const std::string& path() const { return path_; }
  // The reply to its first load.
  [[nodiscard]] const Json& facts() const { return facts_; }

  // The generator that this is the model of; it outlives this.
  void belongs_to(const Generator* generator) { generator_ = generator; }
  [[nodiscard]] const Generator* generator() const override { return generator_; }
  [[nodiscard]] bool leave(const Link& link) override;
  [[nodiscard]] MemoryUse owed() const override;

  // A model gets these again after a death.

  [[nodiscard]] Result<Publish> load_adapter(const std::string& id, const std::string& path, double scale);
  [[nodiscard]] Status unload_adapter(const std::string& id);
  [[nodiscard]] std::vector<AdapterInfo> adapters() const;
  [[nodiscard]] Result<Publish> make_embeddings(PoolingType pooling);
  [[nodiscard]] bool has_embeddings(PoolingType pooling) const;

  [[nodiscard]] MemoryFootprint footprint() const;

 private:
  [[nodiscard]] Result<Link::Answer> load_at(Link& link, const std::function<bool(float)>& progress);
  [[nodiscard]] Result<Place> bring_back();
  [[nodiscard]] Status bring_back_parts(const Place& place);
  [[nodiscard]] Status publish(const Place& place, uint64_t number, const std::string& adapter_id);
  [[nodiscard]] Result<Publish> begin_part(Json json, std::function<void()> keep, std::string adapter_id);

  const std::shared_ptr<Lives> lives_;
  const std::string path_;
  const LoadParams params_;
  Json facts_;
  std::atomic<const Generator*> generator_{nullptr};
  mutable Mutex mutex_;
  std::condition_variable changed_;
  bool bringing_back_ LH_GUARDED_BY(mutex_) = false;  // one load at a time
  Place place_ LH_GUARDED_BY(mutex_);
  bool died_by_itself_ LH_GUARDED_BY(mutex_) = false;
  MemoryFootprint footprint_ LH_GUARDED_BY(mutex_);
  std::map<std::string, AdapterInfo> adapters_ LH_GUARDED_BY(mutex_);
  std::set<int> embeddings_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<ChildModel>);

}  // namespace lh
