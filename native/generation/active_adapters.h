// The adapters that the model calls of one conversation run with, and ON_ADAPTER_SWAP before they change.
// Must not: load adapters, or hold its lock while a hook runs.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/threads/mutex.h"
#include "hooks/dispatch/dispatcher.h"
#include "model/generator.h"

namespace lh {

// One of the set, as hooks see it: with its strength, whoever gave that.
struct ActiveAdapter {
  std::string id;
  std::string path;
  double scale = 1;
  bool operator==(const ActiveAdapter&) const = default;
};
[[nodiscard]] Json to_json(const std::vector<ActiveAdapter>& adapters);

class ActiveAdapters {
 public:
  ActiveAdapters() = default;
  ActiveAdapters(const ActiveAdapters&) = delete;
  ActiveAdapters& operator=(const ActiveAdapters&) = delete;

  // Makes `wanted` the active set, as hooks leave it, and gives what is active then; with an error nothing has changed.
  // What was wanted before gives what was answered then, as long as the model has that, and no hook is asked. Any
  // thread. Errors: kNotFound, for an adapter that `model` does not have; kHookCancelled, kCancelled, kClosed;
  // kInvalidArgument for what a hook answered.
  [[nodiscard]] Result<std::vector<ActiveAdapter>> become(const std::vector<AdapterChoice>& wanted,
                                                          const Generator& model, const Dispatcher& dispatcher,
                                                          const Scope& scope, std::vector<Decision>& decisions);

  // What a swap has put in the place of what the conversation's options say; none: nothing.
  void choose(std::vector<AdapterChoice> choices);
  [[nodiscard]] std::optional<std::vector<AdapterChoice>> chosen() const;
  // For a conversation that goes on from another one.
  void take_over(const ActiveAdapters& from);

 private:
  mutable Mutex mutex_;
  std::vector<ActiveAdapter> wanted_ LH_GUARDED_BY(mutex_);
  std::vector<ActiveAdapter> active_ LH_GUARDED_BY(mutex_);
  std::optional<std::vector<AdapterChoice>> chosen_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<ActiveAdapters>);

// As a request for just these.
[[nodiscard]] std::vector<AdapterChoice> choices_of(const std::vector<ActiveAdapter>& adapters);

}  // namespace lh
