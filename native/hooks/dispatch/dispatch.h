// One dispatch: asks the hooks of a list in order, applies what they answer, and records it.
// Must not: outlive the call that it serves, or report failures (Dispatcher does, when the decision is made).
#pragma once

#include <cstdint>
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
#include "hooks/registry/registry.h"

namespace lh {

class Dispatch {
 public:
  // `build` is called when a hook needs the context.
  Dispatch(const PointInfo& point, const Scope& scope, uint64_t seq, ContextBuilder build,
           const DispatchExtras& extras);

  // Whether the hook may be asked, as far as it can be told before there is a context.
  static bool may_ask(const HookEntry& entry, const Scope& scope, const KnownField* known) {
    return scope.owners.has(entry.owner) && !entry.hook->spec().when.rules_out(scope, known);
  }

  // Once.
  std::unique_ptr<DispatchResult> run(const HookList& list) &&;

 private:
  // Whether the caller lets it have its turn.
  [[nodiscard]] bool has_turn(const Hook& hook);
  // Whether it is for this hook, as the context is now.
  [[nodiscard]] bool is_for(const HookEntry& entry);
  void ask(Hook& hook);
  // All at once, of the same context; their answers count in order.
  void ask_together(std::span<Hook* const> hooks);
  void take(Hook& hook, Reply reply);
  void judge(Hook& hook, Reply reply, HookRecord& record);
  void change(Hook& hook, std::string_view answer, HookRecord& record);
  void apply(const Hook& hook, Change change);
  // True if an answer of that leaves nothing for later hooks to see.
  [[nodiscard]] bool ends(std::string_view field, const Json& value);
  void cancel(Hook& hook, HookRecord& record, std::string reason);
  // The operation was cancelled while `hook` held it up: nobody's veto.
  void end_with_operation();
  // A failure that the callback reported or threw.
  void fail(Hook& hook, HookRecord& record, HookFailure failure);
  // An answer that the point does not take.
  void reject(Hook& hook, HookRecord& record, std::string_view why);
  // Counts and logs, and cancels if the hook fails closed. `what` goes into the reason.
  void count_failure(Hook& hook, HookRecord& record, std::string_view what);

  // As it was built.
  ContextText& text() {
    if (!text_) text_.emplace(point_, scope_, seq_, time_us_, build_);
    return *text_;
  }
  // What `hook` is shown.
  const std::string& shown_text(const Hook& hook);
  // The context as hooks left it so far.
  Json changed_context();

  const PointInfo& point_;
  const Scope& scope_;
  const int64_t time_us_;
  const uint64_t seq_;
  const ContextBuilder build_;
  std::optional<ContextText> text_;
  const DispatchExtras extras_;
  std::unique_ptr<DispatchResult> result_ = std::make_unique<DispatchResult>();
  std::optional<std::string> changed_text_;      // made when a hook is to be shown it
  const std::string* shown_together_ = nullptr;  // to hooks that are asked at once
};

}  // namespace lh
