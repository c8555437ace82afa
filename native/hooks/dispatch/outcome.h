// What a dispatch came to, for the code that fired it.
// Must not: cost anything when nobody was asked; then it is a null pointer.
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
  // The fields of the context that answers changed, as they are now; the caller's own values hold for the others. Null
  // when no answer named a field; an object, maybe empty, whenever decision.action is kModified. What a caller changes
  // itself between hooks (Turns) is in here, too.
  Json changes;
  // Fields that only an answer has (response, halt, retry, drop, hold ...): later hooks win, except that the lists the
  // point table calls collected are joined. Null when there is none.
  Json answers;
  // Whose answer ended it (drop, hold, or such as the caller takes for the last), so that later hooks were not asked.
  std::optional<HookPlace> ended_by;
};

class Outcome {
 public:
  Outcome() = default;  // nobody was asked: the decision has no hooks, nothing changed
  explicit Outcome(std::unique_ptr<DispatchResult> result) : result_(std::move(result)) {}

  const DispatchResult* operator->() const { return result_ ? result_.get() : &nobody(); }
  const DispatchResult& operator*() const { return *operator->(); }
  // A changed field, to take its value from; null when it is not changed.
  [[nodiscard]] Json* changed(const char* field) {
    return result_ && result_->changes.contains(field) ? &result_->changes[field] : nullptr;
  }

 private:
  static const DispatchResult& nobody() {
    static const auto* result = new DispatchResult;  // never destroyed: threads may outlive static teardown
    return *result;
  }

  std::unique_ptr<DispatchResult> result_;
};

// `context` as hooks left it: what a hook that comes after them is shown.
Json with_changes(Json context, const DispatchResult& result);

}  // namespace lh
