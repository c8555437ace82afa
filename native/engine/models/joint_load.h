// A load as all who asked for it see it. Must not: be touched without the lock of the model manager.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/cancel.h"
#include "engine/models/model_manager.h"

namespace lh {

struct ModelManager::JointLoad {
  // kLeft: who did it has given up, and others wait.
  enum class State { kRuns, kLeft, kEnded };

  JointLoad(std::string how, int loader_level) : request(std::move(how)), level(loader_level) {}

  const std::string request;   // how it was asked for
  int level;                   // of the work that does it, for which none of a larger one may wait
  int askers = 1;              // that have not given up
  std::multiset<int> waiting;  // the levels of who does not do it
  State state = State::kRuns;
  float progress = 0;
  // Of kEnded.
  Status status = {Code::kInternal, "the load was left without an end"};
  Refusal refused;
  Json description;
};

// `cancel`: as it was set.
inline Status cancelled_load(const std::string& id, const CancelFlag& cancel) {
  return {cancel.why(), "loading \"" + id + "\" was cancelled: " + cancel.reason()};
}

}  // namespace lh
