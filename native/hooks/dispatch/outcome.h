// The outcome of a dispatch, for the code that fired it. A null pointer, which costs nothing, if no hook was called.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/json/json.h"
#include "hooks/dispatch/decision.h"
#include "hooks/points/hook.h"

namespace lh {

struct DispatchResult {
  Decision decision;
  // The current values of the changed context fields; other fields keep the caller's values. Null if no answer named a
  // field; an object, maybe empty, whenever decision.action is kModified. Includes changes that the caller makes
  // between hooks (Turns).
  Json changes;
  // Fields that only an answer has (response, halt, retry, drop, hold ...): later hooks win, but lists that the point
  // table calls collected are joined. Null if there are none.
  Json answers;
  // The hook whose answer ended the dispatch (drop, hold, or an answer that the caller takes as final), so that later
  // hooks did not run.
  std::optional<HookPlace> ended_by;
};

class Outcome {
 public:
  Outcome() = default;  // no hook was called: the decision has no hooks, nothing changed
  explicit Outcome(std::unique_ptr<DispatchResult> result) : result_(std::move(result)) {}

  const DispatchResult* operator->() const { return result_ ? result_.get() : &nobody(); }
  const DispatchResult& operator*() const { return *operator->(); }
  // The values of DispatchResult, which may be moved out; null if no hook was called.
  [[nodiscard]] Json* changes() const { return result_ ? &result_->changes : nullptr; }
  [[nodiscard]] Json* answers() const { return result_ ? &result_->answers : nullptr; }

 private:
  static const DispatchResult& nobody() {
    static const auto* result = new DispatchResult;  // never destroyed: threads may outlive static teardown
    return *result;
  }

  std::unique_ptr<DispatchResult> result_;
};

// `context` with the hooks' changes: what a later hook is shown.
Json with_changes(Json context, const DispatchResult& result);

}  // namespace lh
