// What a dispatch decided and why: the record behind errors, results and the trace.
// Must not: refer to anything that may end before it does.
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
  kProceed,    // had nothing to say
  kModified,   // named fields: of the context, or such as only an answer has
  kCancelled,  // cancelled, itself or by failing closed (then `failure` says how)
  kFailed,     // skipped
  kObserved,   // its answer does not count: an observer, or an info point
};

struct HookRecord {
  uint64_t id = 0;
  std::string name;
  std::chrono::steady_clock::time_point began;
  HookOutcome outcome = HookOutcome::kProceed;
  bool late = false;  // it passed its deadline, and its answer counted all the same
  int64_t duration_ns = 0;
  std::vector<std::string> fields;  // that it named
  std::optional<HookFailure> failure;
};

struct Decider {
  uint64_t id = 0;
  std::string name;
};

struct Decision {
  Point point = -1;
  uint64_t seq = 0;     // 0: no hook was registered, nothing was dispatched
  int64_t time_us = 0;  // of the beginning, since the Unix epoch
  std::chrono::steady_clock::time_point began;
  std::string run_id;      // empty: none
  std::string session_id;  // empty: none
  Action action = Action::kProceed;
  std::optional<Decider> decided_by;  // who cancelled; none: the operation was cancelled while a hook held it up
  std::optional<std::string> reason;  // why it was cancelled; never empty
  std::optional<Code> status;     // which failure cancelled, where a hook failed closed; CANCELLED without a decider
  std::vector<HookRecord> hooks;  // that were called, in order
  int64_t duration_ns = 0;

  // Of the point; empty when there is no such point.
  [[nodiscard]] std::string_view name() const;
};

const char* action_name(Action action);
const char* outcome_name(HookOutcome outcome);

// The last hook that named `field` in its answer ("halt", "response"), or null.
const HookRecord* named_by(const Decision& decision, std::string_view field);

// {"type": "decision", "seq", "point", "name", "run_id", "session_id", "time_us", "clock_us", "action", "decided_by",
// "reason", "status", "hooks": [{"id", "name", "outcome", "fields", "clock_us", "duration_us"[, "late"][, "error"]}],
// "duration_us"}
Json to_json(const Decision& decision);

}  // namespace lh
