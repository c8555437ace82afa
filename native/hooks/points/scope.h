// The work that a dispatch belongs to. Must not: free the objects that its pointers point to.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/json/tags.h"
#include "base/threads/cancel.h"
#include "hooks/points/hook_owner.h"

namespace lh {

// Consecutive errors. A successful operation resets the count.
struct ErrorStreak {
  std::atomic<int> count{0};
  void reset() noexcept { count.store(0, std::memory_order_relaxed); }
};

// Becomes "meta" in the context. Empty strings and negative numbers become null; `resumes` and tags are absent then.
struct Scope {
  std::string run_id;
  std::string parent_run_id;
  std::string resumes;  // the run that this one continues; empty: none
  std::string session_id;
  std::string conversation;  // whose beginning a prompt repeats: the session's, or a delegated one; empty: none's
  std::string model_id;
  std::string tier;
  int depth = -1;
  int iteration = -1;
  uint64_t span = 0;         // the activity in the trace that the dispatch is a part of; 0: none
  std::string tool_call_id;  // the tool call that it is about; empty: none
  Tags tags;
  HookOwners owners;             // the owners whose hooks run, besides the engine
  CancelFlag* cancel = nullptr;  // of the operation that the hooks hold up; may be null
  CancelFlag* closing =
      nullptr;  // of the engine, for hooks that continue after `cancel`: see Pending::Limits; may be null
  ErrorStreak* errors = nullptr;  // counts errors of the operation; null: the dispatcher's streak
};

}  // namespace lh
