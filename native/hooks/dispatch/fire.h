// Fires a point with its types: `P` is one of the structs of the points_*.h beside this file.
//
//   const auto outcome = fire<points::OnDirective>(dispatcher, scope, [&](const auto& context) {
//     context({.type = type, .params = params});
//   });
//   if (const auto veto = outcome.veto()) return refuse(veto->by, veto->reason);
//   if (const auto changed = outcome.changes().params()) params = *changed;
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hooks/dispatch/context_field.h"
#include "hooks/dispatch/decision_log.h"
#include "hooks/dispatch/dispatcher.h"
#include "hooks/dispatch/given.h"
#include "hooks/points/point_info.h"

namespace lh {

// The hook that cancelled, and why.
struct Veto {
  std::string by;
  std::string reason;
};

// The outcome of a dispatch, with the types of its point.
template <typename P>
class PointOutcome {
 public:
  explicit PointOutcome(Outcome outcome) : outcome_(std::move(outcome)) {}

  [[nodiscard]] const Decision& decision() const { return outcome_->decision; }
  [[nodiscard]] auto changes() const { return typename P::Changes(outcome_.changes(), decision()); }
  [[nodiscard]] auto answers() const { return typename P::Answers(outcome_.answers(), decision()); }
  // The hook whose answer ended the dispatch.
  [[nodiscard]] const std::optional<HookPlace>& ended_by() const { return outcome_->ended_by; }

  // True if a hook cancelled, or if the operation was cancelled while a hook was asked.
  [[nodiscard]] bool cancelled() const requires(P::kKind == Kind::kPre) {
    return decision().action == Action::kCancelled;
  }
  // The reason of cancelled().
  [[nodiscard]] std::string reason() const requires(P::kKind == Kind::kPre) { return decision().reason.value_or(""); }
  // Nothing if no hook cancelled.
  [[nodiscard]] std::optional<Veto> veto() const requires(P::kKind == Kind::kPre) {
    if (!cancelled() || !decision().decided_by) return std::nullopt;
    return Veto{decision().decided_by->name, reason()};
  }

 private:
  Outcome outcome_;
};

// Fires the point. `build` gets a function that takes the context, and is called only if a hook may read it.
template <typename P, typename Build>
[[nodiscard]] PointOutcome<P> fire(const Dispatcher& dispatcher, const Scope& scope, const Build& build,
                                   const DispatchExtras& extras = {}) {
  const auto append = [&build](std::string& out, const FieldSet& wanted) {
    build([&](const typename P::Context& context) { context.append(context::Members(out, wanted)); });
  };
  return PointOutcome<P>(dispatcher.fire(P::kPoint, scope, append, extras));
}

// The same, and keeps the decision of the hooks.
template <typename P, typename Build>
[[nodiscard]] PointOutcome<P> fire(const Dispatcher& dispatcher, const Scope& scope, std::vector<Decision>& decisions,
                                   const Build& build, const DispatchExtras& extras = {}) {
  PointOutcome<P> outcome = fire<P>(dispatcher, scope, build, extras);
  keep(decisions, outcome.decision());
  return outcome;
}

// Fires a point whose outcome changes nothing.
template <typename P, typename Build>
requires(P::kKind == Kind::kInfo) void notify(const Dispatcher& dispatcher, const Scope& scope, const Build& build) {
  static_cast<void>(fire<P>(dispatcher, scope, build));
}

}  // namespace lh
