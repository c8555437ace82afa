// Trace events for the beginning and the end of runs, model calls and tool calls.
// Must not: contain anything that hooks may still replace, such as arguments, results and texts.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "agent/run/run_context.h"
#include "agent/run/run_result.h"
#include "agent/run/tool_record.h"
#include "hooks/dispatch/trace.h"

namespace lh {

// The purpose of a run.
struct RunOrigin {
  uint64_t span = 0;                                   // the activity that it is a part of; 0: none
  std::string tool_call_id;                            // the call that delegates to it; empty: none
  std::optional<Trace::Clock::time_point> asked = {};  // when its caller asked for it
};

// `scope` has the number of the run's span.
[[nodiscard]] Trace::Span begin_run(Trace& trace, const Scope& scope, const RunOrigin& origin);
void end_run(Trace& trace, const Trace::Span& span, const Scope& scope, const RunResult& result);

// The call, with its beginning and its end in the trace. `prompt`: if there is one already.
[[nodiscard]] ModelAnswer call_model(const RunContext& run, ModelRequest request, const Work& work,
                                     std::unique_ptr<Prompt> prompt = nullptr);

[[nodiscard]] Trace::Span begin_tool(const RunContext& run, const ToolCall& call);
// `record` as the tool has left it.
void end_tool(const RunContext& run, const Trace::Span& span, const ToolRecord& record,
              std::chrono::steady_clock::time_point ended);

[[nodiscard]] Trace::Span begin_plan(const RunContext& run, std::string_view flow, size_t steps);
void end_plan(const RunContext& run, const Trace::Span& span, size_t succeeded, ResultKind kind);

// While it exists, the work of the run is a part of an activity: a call of a control tool, or a plan. No other tool of
// the run is under way.
class InActivity {
 public:
  InActivity(Scope& scope, uint64_t span, const std::string& tool_call_id)
      : scope_(scope),
        span_(std::exchange(scope.span, span)),
        tool_call_id_(std::exchange(scope.tool_call_id, tool_call_id)) {}
  ~InActivity() {
    scope_.span = span_;
    scope_.tool_call_id = std::move(tool_call_id_);
  }
  InActivity(const InActivity&) = delete;
  InActivity& operator=(const InActivity&) = delete;

 private:
  Scope& scope_;
  const uint64_t span_;
  std::string tool_call_id_;
};
static_assert(!std::is_copy_constructible_v<InActivity>);

}  // namespace lh
