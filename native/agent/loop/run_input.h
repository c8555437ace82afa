// The input of a run, as the caller gives it.
#pragma once

#include <optional>
#include <string>

#include "agent/delegation/plan.h"
#include "agent/session/waiting_run.h"
#include "base/json/tags.h"
#include "hooks/registry/hook_scope.h"

namespace lh {

struct RunInput {
  std::string content;            // without `resume`
  Json params = Json::object();   // sampling parameters, laid over the session's
  std::optional<Plan> plan = {};  // carried out before the first model call
  bool dry_run = false;
  std::optional<Json> answer = {};  // the schema of the last message
  HookOwner hooks = 0;              // of this run and its child runs only; 0: none
  Tags tags = {};                   // laid over the session's
  Messages history = {};            // added to the conversation before the content
  WaitingAnswers resume = {};       // the session's waiting run continues; empty: this is a new run
};

}  // namespace lh
