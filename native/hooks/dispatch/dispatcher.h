// Fires hooks; owns none. Must not: hold a lock while a hook runs, or build a context that no hook reads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/function_ref.h"
#include "base/json/json.h"
#include "hooks/calls/context_text.h"
#include "hooks/dispatch/decision.h"
#include "hooks/dispatch/dispatch_extras.h"
#include "hooks/dispatch/outcome.h"
#include "hooks/dispatch/trace.h"
#include "hooks/dispatch/warnings.h"
#include "hooks/points/matcher.h"
#include "hooks/points/scope.h"
#include "hooks/registry/hook_scope.h"
#include "hooks/registry/registry.h"

namespace lh {

class Dispatcher {
 public:
  using ContextBuilder = lh::ContextBuilder;

  explicit Dispatcher(Registry& registry) : registry_(registry) {
    registry.ended().set([this](const Hook& hook) { trace_.tell("hook_ended", [&hook] { return counts_of(hook); }); });
  }
  ~Dispatcher() { registry_.ended().set(nullptr); }
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // One atomic load. Callers test this before they compute a value that only a hook would read.
  [[nodiscard]] bool has(Point point) const noexcept { return registry_.has(point); }
  // True if a hook of the point may match in `scope`. For callers with expensive preparations; if false, they do not
  // fire the point.
  [[nodiscard]] bool may_ask(Point point, const Scope& scope) const;

  // Opens a scope for the hooks of a single session, run or generation.
  [[nodiscard]] std::shared_ptr<HookScope> open_scope(HookLevel level, std::string session_id = {}) const {
    return std::make_shared<HookScope>(registry_, level, std::move(session_id));
  }

  // Runs the hooks of `point` in order; `build` is called only if the `when` of one may match. Every failure is
  // reported at ON_ERROR and is in the decision. If no hook at ON_ERROR receives the first failure of a hook, as for
  // hooks of ON_ERROR itself, there is a warning. An unknown point has no hooks. Throws what `build` throws.
  // The engine fires its points by fire() of fire.h, with their types.
  [[nodiscard]] Outcome fire(Point point, const Scope& scope, ContextBuilder build,
                             const DispatchExtras& extras = {}) const {
    return has(point) ? fire_hooks(point, scope, build, extras) : Outcome();
  }

  // Fires ON_ERROR; does nothing inside a hook of ON_ERROR. `where` names the place: "load", "generate",
  // "hook:<name>@<POINT>". Counts in the scope's streak even if no hook is registered. Returns true if a hook received
  // it.
  bool error(const Scope& scope, std::string_view code, std::string_view message, std::string_view where,
             bool recoverable) const;

  // The same for a mistake that is not reported anywhere else: without a hook at ON_ERROR it is a warning, once for
  // each message at each `where`.
  void error_or_warning(const Scope& scope, std::string_view code, std::string_view message, std::string_view where,
                        bool recoverable) const;

  // The streak of operations without a separate one.
  [[nodiscard]] ErrorStreak& errors() const noexcept { return errors_; }

  // Receives decisions and the other events of the work.
  [[nodiscard]] Trace& trace() const noexcept { return trace_; }
  [[nodiscard]] Warnings& warnings() const noexcept { return warnings_; }

 private:
  // Stays out of line, so that a point without hooks costs its callers only a load and a branch.
  [[nodiscard]] Outcome fire_hooks(Point point, const Scope& scope, ContextBuilder build,
                                   const DispatchExtras& extras) const;
  void report_failures(const HookList& list, const Decision& decision, const Scope& scope) const;
  void warn(const Hook& hook, const HookRecord& record, const Decision& decision) const;

  Registry& registry_;
  mutable ErrorStreak errors_;
  mutable Trace trace_;
  mutable Warnings warnings_;
};
static_assert(!std::is_copy_constructible_v<Dispatcher>);

// Appends the members of `object` to those in `out`, for builders of points that are not hot.
void append_members(std::string& out, const Json& object);

}  // namespace lh
