// The result of a run of a session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/run/tool_record.h"
#include "base/status.h"
#include "generation/model_call.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {

enum class RunFinish : uint8_t { kComplete, kHalted, kCancelled, kLimit, kWaiting };

[[nodiscard]] inline std::string_view run_finish_name(RunFinish finish) {
  constexpr std::string_view kNames[] = {"complete", "halted", "cancelled", "limit", "waiting"};
  return kNames[static_cast<size_t>(finish)];
}

// A model call, and the tool calls that it made.
struct RunStep {
  int32_t iteration = 0;
  std::string model_id;
  FinishReason finish = FinishReason::kStop;
  Usage usage;
  std::vector<std::string> tool_call_ids;
};

// The result of a run; if the status is not OK, the result up to the failure.
struct RunResult {
  Status status;
  Refusal refused;   // the cause of the status, if it is not at a point of this run
  std::string text;  // the last answer of the model
  std::string reasoning;
  RatedTokens logprobs;  // of the last message of the model, if asked for
  RunFinish finish = RunFinish::kComplete;
  std::optional<Stop> cancel;  // with kCancelled
  std::optional<Stop> halt;    // with kHalted
  std::string limit;           // with kLimit: which
  Json waiting = {};           // with kWaiting: the calls, as engine.h describes them
  Messages messages;           // added to the history
  std::vector<ToolRecord> tool_calls;
  std::vector<ToolRecord> child_tool_calls;  // of delegated runs and theirs, run by run as they ended
  Usage usage;
  std::optional<bool> answered;  // with an answer's schema: the text is an answer that hooks have accepted
  std::vector<RunStep> steps;
  int32_t iterations = 0;
  std::vector<Decision> decisions;
};

}  // namespace lh
