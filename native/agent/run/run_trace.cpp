#include "agent/run/run_trace.h"

#include <utility>

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

// Adds the end: `finish` and the usage, or the error.
void add_end(Json& fields, const Status& status, std::string_view finish, const Usage& usage) {
  if (status.ok()) {
    fields["finish_reason"] = finish;
    fields["usage"] = to_json(usage);
  } else {
    fields["code"] = code_name(status.code());
  }
}

}  // namespace

Trace::Span begin_run(Trace& trace, const Scope& scope) {
  return trace.begin("run_started", [&] {
    Json fields = whose(scope);
    fields["model_id"] = scope.model_id;
    if (!scope.parent_run_id.empty()) fields["parent_run_id"] = scope.parent_run_id;
    if (!scope.tier.empty()) fields["tier"] = scope.tier;
    return fields;
  });
}

void end_run(Trace& trace, const Trace::Span& span, const Scope& scope, const RunResult& result) {
  trace.end("run_ended", span, [&] {
    Json fields = whose(scope);
    add_end(fields, result.status, run_finish_name(result.finish), result.usage);
    return fields;
  });
}

ModelAnswer call_model(const RunContext& run, ModelRequest request, const Work& work, std::unique_ptr<Prompt> prompt) {
  Trace& trace = run.dispatcher.trace();
  const Trace::Span span = trace.begin("model_call_started", [&] { return of_model_call(run.scope); });
  ModelAnswer answer = ModelCall(run.dispatcher, run.model, run.scope, std::move(request), work).run(std::move(prompt));
  trace.end("model_call_ended", span, [&] {
    Json fields = of_model_call(run.scope);
    add_end(fields, answer.status, finish_reason_name(answer.finish_reason), answer.usage);
    return fields;
  });
  return answer;
}

Trace::Span begin_tool(const RunContext& run, const ToolCall& call) {
  return run.dispatcher.trace().begin("tool_call_started", [&] { return of_tool_call(run.scope, call); });
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
