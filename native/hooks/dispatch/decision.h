// The decision of a dispatch with its reasons: the record behind errors, results and the trace.
// Must not: refer to objects that may end earlier.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"
#include "hooks/calls/call.h"
#include "hooks/points/point.h"

namespace lh {

enum class Action : uint8_t { kProceed, kModified, kCancelled };

enum class HookOutcome : uint8_t {
  kProceed,    // answered nothing
  kModified,   // answered fields of the context, or fields that only an answer has
  kCancelled,  // cancelled, by its answer or by failing closed (then `failure` is set)
  kFailed,     // failed and was skipped
  kObserved,   // its answer is ignored: an observer, or an info point
  kAbandoned,  // the operation was cancelled while it waited for the hook: not a failure, though `failure` says why
};

struct HookRecord {
  uint64_t id = 0;
  std::string name;
  std::chrono::steady_clock::time_point began;
  HookOutcome outcome = HookOutcome::kProceed;
  bool late = false;  // it missed its deadline, but its answer counted
  int64_t duration_ns = 0;
  std::vector<std::string> fields;  // named in its answer
  std::optional<HookFailure> failure;
  [[nodiscard]] bool failed() const noexcept { return failure && outcome != HookOutcome::kAbandoned; }
};

struct Decider {
  uint64_t id = 0;
  std::string name;
};

struct Decision {
  Point point = -1;
  uint64_t seq = 0;     // 0: no hook was registered, so nothing was dispatched
  int64_t time_us = 0;  // start, since the Unix epoch
  std::chrono::steady_clock::time_point began;
  std::string run_id;        // empty: none
  std::string session_id;    // empty: none
  uint64_t span = 0;         // the activity that it is a part of, as in other events of the trace; 0: none
  std::string tool_call_id;  // empty: none
  Action action = Action::kProceed;
  std::optional<Decider> decided_by;  // the hook that cancelled; none: the operation was cancelled during a hook
  std::optional<std::string> reason;  // the reason of the cancel; never empty
  std::optional<Code> status;         // the failure of a hook that failed closed; CANCELLED without a decider
  std::vector<HookRecord> hooks;      // the hooks that were called, in order
  int64_t duration_ns = 0;

  // The name of the point; empty for an unknown point.
  [[nodiscard]] std::string_view name() const;
};

const char* action_name(Action action);
const char* outcome_name(HookOutcome outcome);

// The last hook that named `field` in its answer ("halt", "response"), or null.
const HookRecord* named_by(const Decision& decision, std::string_view field);

// {"type": "decision", "seq", "point", "name", "run_id", "session_id", "span", "tool_call_id", "time_us", "clock_us",
// "action", "decided_by", "reason", "status", "hooks": [{"id", "name", "outcome", "fields", "clock_us", "duration_us"[,
// "late"][, "error"]}], "duration_us"}
Json to_json(const Decision& decision);

}  // namespace lh
