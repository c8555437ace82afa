// The active adapters of a conversation, and ON_ADAPTER_SWAP before they change.
// Must not: hold its lock while a hook runs.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/threads/mutex.h"
#include "hooks/dispatch/dispatcher.h"
#include "model/generator.h"

namespace lh {

// An adapter of the set as hooks see it, with its effective strength.
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

  // Makes `wanted`, as hooks leave it, the active set and returns it. On an error nothing changes. If the same set was
  // wanted before, and the model still has its answer, that answer is used and no hook runs. Any thread. Errors:
  // kNotFound, if `model` lacks an adapter; kHookCancelled, kCancelled, kClosed; kInvalidArgument for a hook's answer.
  [[nodiscard]] Result<std::vector<ActiveAdapter>> become(const std::vector<AdapterChoice>& wanted,
                                                          const Generator& model, const Dispatcher& dispatcher,
                                                          const Scope& scope, std::vector<Decision>& decisions);

  // The set of a swap, which replaces the one of the conversation's options; none: no swap.
  void choose(std::vector<AdapterChoice> choices);
  [[nodiscard]] std::optional<std::vector<AdapterChoice>> chosen() const;
  // Takes over the adapters of the conversation that this one continues.
  void take_over(const ActiveAdapters& from);

 private:
  mutable Mutex mutex_;
  std::vector<ActiveAdapter> wanted_ LH_GUARDED_BY(mutex_);
  std::vector<ActiveAdapter> active_ LH_GUARDED_BY(mutex_);
  std::optional<std::vector<AdapterChoice>> chosen_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<ActiveAdapters>);

// A request for exactly these adapters.
[[nodiscard]] std::vector<AdapterChoice> choices_of(const std::vector<ActiveAdapter>& adapters);

}  // namespace lh
