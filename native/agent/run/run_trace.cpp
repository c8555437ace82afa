#include "agent/run/run_trace.h"

#include <utility>

#include "base/system/time_us.h"
#include "generation/call_trace.h"
#include "generation/conversation_json.h"

namespace lh {
namespace {

Json whose(const Scope& scope) { return {{"run_id", scope.run_id}, {"session_id", scope.session_id}}; }

Json of_model_call(const Scope& scope) {
  Json fields = whose(scope);
  fields["model_id"] = scope.model_id;
  fields["iteration"] = scope.iteration < 0 ? Json() : Json(scope.iteration);
  return fields;
}

Json of_tool_call(const Scope& scope, const ToolCall& call) {
  Json fields = whose(scope);
  fields["tool_call_id"] = call.id;
  fields["tool_name"] = call.name;
  return fields;
}

}  // namespace

Trace::Span begin_run(Trace& trace, const Scope& scope, const RunOrigin& origin) {
  const Trace::Span span{scope.span, Trace::Clock::now()};
  trace.begin("run_started", span, origin.span, [&] {
    Json fields = whose(scope);
    fields["model_id"] = scope.model_id;
    if (!scope.parent_run_id.empty()) fields["parent_run_id"] = scope.parent_run_id;
    if (!scope.resumes.empty()) fields["resumes"] = scope.resumes;
    if (!scope.tier.empty()) fields["tier"] = scope.tier;
    if (!origin.tool_call_id.empty()) fields["tool_call_id"] = origin.tool_call_id;
    if (origin.asked) fields["queue_ms"] = milliseconds(span.began - *origin.asked);
    return fields;
  });
  return span;
}

void end_run(Trace& trace, const Trace::Span& span, const Scope& scope, const RunResult& result) {
  trace.end("run_ended", span, [&] {
    Json fields = whose(scope);
    if (!result.status.ok()) {
      fields["code"] = code_name(result.status.code());
      return fields;
    }
    fields["finish_reason"] = run_finish_name(result.finish);
    fields["usage"] = to_json(result.usage);
    add_stops(fields, result.cancel, result.halt);
    if (!result.limit.empty()) fields["limit"] = result.limit;
    return fields;
  });
}

ModelAnswer call_model(const RunContext& run, ModelRequest request, const Work& work, std::unique_ptr<Prompt> prompt) {
  Trace& trace = run.dispatcher.trace();
  const Trace::Span span = trace.begin("model_call_started", run.scope.span, [&] {
    Json fields = of_model_call(run.scope);
    add_call_begin(fields, request);
    return fields;
  });
  Scope scope = run.scope;
  scope.span = span.number;
  Work of_call = work;
  of_call.span = span.number;
  ModelAnswer answer =
      ModelCall(run.dispatcher, run.model, std::move(scope), std::move(request), of_call).run(std::move(prompt));
  trace.end("model_call_ended", span, [&] {
    Json fields = of_model_call(run.scope);
    add_call_end(fields, answer);
    return fields;
  });
  return answer;
}

Trace::Span begin_tool(const RunContext& run, const ToolCall& call) {
  return run.dispatcher.trace().begin("tool_call_started", run.scope.span,
                                      [&] { return of_tool_call(run.scope, call); });
}

Trace::Span begin_plan(const RunContext& run, std::string_view flow, size_t steps) {
  return run.dispatcher.trace().begin("plan_started", run.scope.span, [&] {
    Json fields = whose(run.scope);
    fields["flow"] = flow;
    fields["steps"] = steps;
    if (!run.scope.tool_call_id.empty()) fields["tool_call_id"] = run.scope.tool_call_id;
    return fields;
  });
}

void end_plan(const RunContext& run, const Trace::Span& span, size_t succeeded, ResultKind kind) {
  run.dispatcher.trace().end("plan_ended", span, [&] {
    Json fields = whose(run.scope);
    fields["succeeded"] = succeeded;
    fields["result_kind"] = result_kind_name(kind);
    return fields;
  });
}

void end_tool(const RunContext& run, const Trace::Span& span, const ToolRecord& record,
              std::chrono::steady_clock::time_point ended) {
  const auto fields = [&] {
    Json all = of_tool_call(run.scope, record.call);
    all["result_kind"] = result_kind_name(record.kind);
    all["is_error"] = record.is_error;
    return all;
  };
  run.dispatcher.trace().end("tool_call_ended", span, fields, ended);
}

}  // namespace lh
