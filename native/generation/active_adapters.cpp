#include "generation/active_adapters.h"

#include <algorithm>
#include <utility>

#include "base/text/names.h"
#include "hooks/dispatch/decision_log.h"
#include "hooks/dispatch/fire.h"
#include "hooks/dispatch/points_adapter.h"

namespace lh {
namespace {

using Set = std::vector<ActiveAdapter>;

Result<Set> resolve(const std::vector<AdapterChoice>& choices, const Generator& model) {
  Set set;
  for (const AdapterChoice& choice : choices) {
    const auto info = model.adapter(choice.id);
    if (!info.ok()) return info.status();
    set.push_back({choice.id, info->path, choice.scale.value_or(info->scale)});
  }
  return set;
}

// True if the model already has all of these adapters, loaded from the same files.
bool has_all(const Generator& model, const Set& set) {
  return std::ranges::all_of(set, [&model](const ActiveAdapter& one) {
    const auto info = model.adapter(one.id);
    return info.ok() && info->path == one.path;
  });
}

std::string_view first_id(const Set& set) { return set.empty() ? std::string_view() : set.front().id; }

// Applies the answers of hooks to a change. `scale` is that of the target, at any place in the set.
class Change {
 public:
  Change(Set set, const Generator& model)
      : set_(std::move(set)), target_(set_.empty() ? "" : set_.front().id), model_(model) {}

  [[nodiscard]] const Set& set() const { return set_; }
  [[nodiscard]] double target_scale() { return target() == nullptr ? 0 : target()->scale; }

  // Takes the changes so far after each answer and writes the result back, so that the next hook sees it.
  void take(const points::OnAdapterSwap::Changes& changes) {
    if (!status_.ok()) return;
    const double shown = target_scale();
    if (const auto adapters = changes.adapters(); adapters && *adapters != to_json(set_)) {
      status_ = read(*adapters);
      if (!status_.ok()) return;
    }
    if (const auto scale = changes.scale(); scale && *scale != shown && target() != nullptr) {
      target()->scale = scale->get<double>();
    }
    changes.set_scale(target_scale());
    changes.set_adapters(to_json(set_));
  }

  // The resulting set.
  [[nodiscard]] Result<Set> end() && {
    if (!status_.ok())
      return Status(status_.code(),
                    "after " + shown_point("ON_ADAPTER_SWAP") + " hooks changed them: " + status_.message());
    return std::move(set_);
  }

 private:
  [[nodiscard]] ActiveAdapter* target() {
    const auto found = std::ranges::find(set_, target_, &ActiveAdapter::id);
    return found == set_.end() ? nullptr : &*found;
  }

  // The answer was checked against its schema. Ids and ranges are checked as in a request, with the same errors.
  Status read(const Json& adapters) {
    Json request = {{"adapters", Json::array()}};
    for (const Json& one : adapters) {
      request["adapters"].push_back({{"id", one["adapter_id"]}, {"scale", one["scale"]}});
    }
    const auto params = parse_sampling_params(request);
    if (!params.ok()) return params.status();
    auto set = resolve(params->adapters, model_);
    if (!set.ok()) return set.status();
    for (size_t i = 0; i < set->size(); ++i) {
      if (adapters[i]["adapter_path"] == (*set)[i].path) continue;
      return Status(Code::kInvalidArgument, "adapters[" + std::to_string(i) + "]." + shown_field("adapter_path") +
                                                " is not that of \"" + (*set)[i].id + "\", which was loaded from " +
                                                (*set)[i].path);
    }
    set_ = *std::move(set);
    return {};
  }

  Set set_;
  const std::string target_;
  const Generator& model_;
  Status status_;
};

}  // namespace

Json to_json(const Set& adapters) {
  Json json = Json::array();
  for (const ActiveAdapter& one : adapters) {
    json.push_back({{"adapter_id", one.id}, {"adapter_path", one.path}, {"scale", one.scale}});
  }
  return json;
}

std::vector<AdapterChoice> choices_of(const Set& adapters) {
  std::vector<AdapterChoice> choices;
  for (const ActiveAdapter& one : adapters) choices.push_back({one.id, one.scale});
  return choices;
}

Result<Set> ActiveAdapters::become(const std::vector<AdapterChoice>& wanted, const Generator& model,
                                   const Dispatcher& dispatcher, const Scope& scope, std::vector<Decision>& decisions) {
  Set current;
  Set before;
  {
    const MutexLock lock(mutex_);
    if (wanted.empty() && wanted_.empty() && active_.empty()) return active_;
    current = active_;
    before = wanted_;
  }
  const auto set = resolve(wanted, model);
  if (!set.ok()) return set.status();
  if (*set == before && has_all(model, current)) return current;
  Change change(*set, model);
  const auto build = [&](const auto& context) {
    const Set& target = change.set();
    context({.current_adapter = first_id(current),
             .target_adapter = first_id(target),
             .adapter_path = target.empty() ? std::string_view() : std::string_view(target.front().path),
             .scale = change.target_scale(),
             .adapters = to_json(target)});
  };
  const auto after_each = [&](DispatchResult& so_far) {
    change.take(points::OnAdapterSwap::Changes(so_far));
    return true;
  };
  const Completion complete(after_each);
  const auto outcome = fire<points::OnAdapterSwap>(dispatcher, scope, decisions, build, {.complete = &complete});
  if (const auto veto = outcome.veto()) {
    return Status(Code::kHookCancelled,
                  "the change of adapters was cancelled by the hook " + veto->by + ": " + veto->reason);
  }
  if (outcome.cancelled()) return Status(scope.cancel->why(), outcome.reason());
  auto active = std::move(change).end();
  if (!active.ok()) return active.status();
  const MutexLock lock(mutex_);
  wanted_ = *set;
  active_ = *active;
  return active;
}

void ActiveAdapters::choose(std::vector<AdapterChoice> choices) {
  const MutexLock lock(mutex_);
  chosen_ = std::move(choices);
}

std::optional<std::vector<AdapterChoice>> ActiveAdapters::chosen() const {
  const MutexLock lock(mutex_);
  return chosen_;
}

void ActiveAdapters::take_over(const ActiveAdapters& from) {
  Set wanted;
  Set active;
  std::optional<std::vector<AdapterChoice>> chosen;
  {
    const MutexLock lock(from.mutex_);
    wanted = from.wanted_;
    active = from.active_;
    chosen = from.chosen_;
  }
  const MutexLock lock(mutex_);
  wanted_ = std::move(wanted);
  active_ = std::move(active);
  chosen_ = std::move(chosen);
}

}  // namespace lh
