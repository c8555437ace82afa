// One dispatch: calls the hooks of a list in order, applies their answers, and records them.
// Must not: outlive the call that it serves. Dispatcher reports failures, after the decision.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "hooks/calls/answer.h"
#include "hooks/calls/context_text.h"
#include "hooks/calls/invoke.h"
#include "hooks/dispatch/dispatch_extras.h"
#include "hooks/dispatch/outcome.h"
#include "hooks/points/field_set.h"
#include "hooks/registry/registry.h"

namespace lh {

class Dispatch {
 public:
  // `build` is called if a hook needs the context.
  Dispatch(const PointInfo& point, const Scope& scope, uint64_t seq, ContextBuilder build,
           const DispatchExtras& extras);

  // True if the hook may match, as far as this is known without a context.
  static bool may_ask(const HookEntry& entry, const Scope& scope, const KnownField* known) {
    return scope.owners.has(entry.owner) && !entry.hook->spec().when.rules_out(scope, known);
  }

  // Called in each dispatch for each hook of the point that belongs to the scope, whether it matches or not.
  static void count_fired(const HookEntry& entry, const Scope& scope) noexcept {
    if (scope.owners.has(entry.owner)) entry.hook->counters().fired.fetch_add(1, std::memory_order_relaxed);
  }

  // Call once.
  std::unique_ptr<DispatchResult> run(const HookList& list) &&;

 private:
  // True if the caller lets the hook run.
  [[nodiscard]] bool has_turn(const Hook& hook);
  // True if the hook matches the current context.
  [[nodiscard]] bool is_for(const HookEntry& entry);
  void ask(Hook& hook);
  // Calls all at once with the same context; their answers apply in order.
  void ask_together(std::span<Hook* const> hooks);
  void take(Hook& hook, Reply reply);
  void judge(Hook& hook, Reply reply, HookRecord& record);
  void change(Hook& hook, std::string_view answer, HookRecord& record);
  void apply(const Hook& hook, Change change);
  // True if such an answer leaves nothing for later hooks.
  [[nodiscard]] bool ends(std::string_view field, const Json& value);
  void cancel(Hook& hook, HookRecord& record, std::string reason);
  // Ends the dispatch because the operation was cancelled during `hook`. Not a veto.
  void end_with_operation();
  // The operation was cancelled while it waited for the hook. Not a failure of the hook.
  void abandon(HookRecord& record);
  // Handles a failure that the callback reported or threw.
  void fail(Hook& hook, HookRecord& record, HookFailure failure);
  // Handles an answer that the point does not accept.
  void reject(Hook& hook, HookRecord& record, std::string_view why);
  // Counts and logs the failure, and cancels if the hook fails closed. `what` becomes part of the reason.
  void count_failure(Hook& hook, HookRecord& record, std::string_view what);

  // The context as it was built.
  ContextText& text() {
    if (!text_) text_.emplace(point_, scope_, seq_, time_us_, build_, wanted());
    return *text_;
  }
  // The fields that hooks of the dispatch read.
  [[nodiscard]] FieldSet wanted() const;
  // The context at the turn of `hook`, with all fields that were built.
  const std::string& text_for(const Hook& hook);
  // The part of that context which `hook` is shown.
  const std::string& shown_text(const Hook& hook);
  // The context with the changes so far. Fields without changes keep their text.
  std::string changed_context();
  // The values of the fields that the changes so far may concern.
  Json concerned();

  const PointInfo& point_;
  const Scope& scope_;
  const int64_t time_us_;
  const uint64_t seq_;
  const ContextBuilder build_;
  std::span<const HookEntry> hooks_;  // from run() on
  std::optional<ContextText> text_;
  const DispatchExtras extras_;
  std::unique_ptr<DispatchResult> result_ = std::make_unique<DispatchResult>();
  std::optional<std::string> changed_text_;      // built when a hook needs it
  const std::string* shown_together_ = nullptr;  // the context for parallel hooks
  std::list<std::string> cut_texts_;             // the contexts of hooks that read some fields
};

}  // namespace lh
