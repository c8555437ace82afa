// Trace events for the beginning and the end of runs, model calls and tool calls.
// Must not: contain anything that hooks may still replace, such as arguments, results and texts.
#pragma once

#include <chrono>
#include <memory>

#include "agent/run/run_context.h"
#include "agent/run/run_result.h"
#include "agent/run/tool_record.h"
#include "hooks/dispatch/trace.h"

namespace lh {

[[nodiscard]] Trace::Span begin_run(Trace& trace, const Scope& scope);
void end_run(Trace& trace, const Trace::Span& span, const Scope& scope, const RunResult& result);

// The call, with its beginning and its end in the trace. `prompt`: if there is one already.
[[nodiscard]] ModelAnswer call_model(const RunContext& run, ModelRequest request, const Work& work,
                                     std::unique_ptr<Prompt> prompt = nullptr);

[[nodiscard]] Trace::Span begin_tool(const RunContext& run, const ToolCall& call);
// `record` as the tool has left it.
void end_tool(const RunContext& run, const Trace::Span& span, const ToolRecord& record,
              std::chrono::steady_clock::time_point ended);

}  // namespace lh
