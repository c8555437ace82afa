// A load that several callers may have asked for: one of them does it, the others wait.
// Must not: be touched without the lock of the table of models.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/cancel.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {

struct SharedLoad {
  // kLeft: the caller that did the load has cancelled, and others wait.
  enum class State { kRuns, kLeft, kEnded };

  SharedLoad(std::string how, int loader_level) : request(std::move(how)), level(loader_level) {}

  const std::string request;   // the path and the options
  int level;                   // of the work that does the load; no work of a larger level may wait for it
  int callers = 1;             // that have not cancelled
  std::multiset<int> waiting;  // the levels of the callers that wait
  State state = State::kRuns;
  float progress = 0;
  // Valid in kEnded.
  Status status = {Code::kInternal, "the load was left without an end"};
  Refusal refused;
  Json description;
};

// `cancel` has been cancelled.
inline Status cancelled_load(const std::string& id, const CancelFlag& cancel) {
  return {cancel.why(), "loading \"" + id + "\" was cancelled: " + cancel.reason()};
}

}  // namespace lh
