// The results of a batch: from what a tool answered, through the hooks, to the record of the call.
#include <algorithm>
#include <chrono>
#include <utility>

#include "agent/run/context_assembly.h"
#include "agent/run/run_trace.h"
#include "agent/tools/tool_batch.h"
#include "base/text/cut_text.h"
#include "base/text/names.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {

void ToolBatch::finish(Planned& planned) {
  ToolRecord& record = planned.record;
  const bool ran = planned.tool != nullptr;
  if (planned.running != nullptr) {
    take_answer(planned);
    const std::chrono::duration<double, std::milli> took(record.elapsed_ms);
    const auto ended = planned.running->began() + std::chrono::duration_cast<std::chrono::nanoseconds>(took);
    end_tool(run_, planned.span, record, ended);
  }
  // If a hook replaced the result, nothing of the original is kept, its cause included.
  const bool replaced = ask_about_result(planned);
  if (replaced) {
    record.cause_id = 0;
    record.parts.reset();
  }
  if (!planned.failure.ok()) {
    report(record, planned.failure.code(), replaced ? record.result : planned.failure.message());
  }
  if (!planned.whole.empty() && run_.can_inspect()) run_.dialogue.keep_whole(record.call.id, std::move(planned.whole));
  run_.transcript.show_call(planned.index, record.call, &record.result);
  if (ran) run_.limits.ended(record.call, record.result);
  if (run_.work.events.wanted()) run_.work.events.emit(ToolResultEvent{to_json(record)});
}

void ToolBatch::take_answer(Planned& planned) {
  ToolRecord& record = planned.record;
  ToolInvocation::Answer& answer = planned.answer;
  record.elapsed_ms = answer.elapsed_ms;
  record.directives = std::move(answer.directives);
  switch (answer.end) {
    case ToolInvocation::End::kAnswered:
      if (!answer.parts.empty() && !keep_parts(planned)) return;
      if (answer.worded) return settle(record, ResultKind::kError, std::move(answer.text));
      if (answer.is_error) return settle(record, ResultKind::kError, "error: " + answer.text);
      return settle_answer(record, std::move(answer.text));
    case ToolInvocation::End::kFailed:
      planned.failure = {Code::kToolFailed, answer.text};
      record.cause_id = answer.cause_id;
      return settle(record, ResultKind::kError, "error: " + answer.text);
    case ToolInvocation::End::kTimedOut:
      planned.failure = {Code::kToolTimeout, answer.text};
      return settle(record, ResultKind::kTimeout, answer.text);
    case ToolInvocation::End::kCancelled: return settle(record, ResultKind::kCancelled, "cancelled: " + answer.text);
    case ToolInvocation::End::kNotBegun: return settle(record, ResultKind::kCancelled, "not run: " + answer.text);
  }
}

// False: they are too large, and the call has failed.
bool ToolBatch::keep_parts(Planned& planned) {
  Json& parts = planned.answer.parts;
  const size_t size = dump_json(parts).size();
  const auto most = static_cast<size_t>(run_.setup.max_parts_bytes);
  if (size <= most) {
    planned.record.parts = std::make_shared<const Json>(std::move(parts));
    return true;
  }
  const std::string why = "the parts of the result have " + std::to_string(size) + " bytes, and may have " +
                          std::to_string(most) + " (" + shown_field("max_parts_bytes") + ")";
  planned.failure = {Code::kToolFailed, why};
  settle(planned.record, ResultKind::kError, "error: " + why);
  return false;
}

// Every result that the caller is about to get passes these hooks, even if the run is cancelled; only closing the
// engine cuts them off. They see the whole result, and it is cut after them: a hook that masks text would miss text
// that a cut has split. True: a hook replaced the result.
bool ToolBatch::ask_about_result(Planned& planned) {
  ToolRecord& record = planned.record;
  const Scope scope = run_.closing_scope();
  const auto after = run_.ask_of<points::PostToolCall>(record.call, scope, [&](const auto& context) {
    context({.tool_name = record.call.name,
             .args = planned.judged().args,
             .tool_call_id = record.call.id,
             .elapsed_ms = record.elapsed_ms,
             .tier = run_.scope.tier,
             .iteration = run_.scope.iteration,
             .result_kind = result_kind_name(record.kind),
             .is_error = record.is_error,
             .result = record.result,
             .directives = record.directives.is_array() ? record.directives : Json::array(),
             .annotations = AgentTool::annotations_of(planned.named),
             .origin = AgentTool::origin_of(planned.named),
             .parts = record.parts == nullptr ? std::nullopt : std::optional<context::Value>(*record.parts)});
  });
  take_additional_context(after.answers().additional_context(), run_.pending);
  const auto changed = after.changes().result();
  if (changed) record.result = *changed;
  record.result = capped(std::move(record.result), record.call.id, &planned.whole);
  if (!planned.warning.empty()) record.result += "\n[" + planned.warning + "]";
  record.is_error = after.changes().is_error().or_else(record.is_error);
  if (const auto directives = after.changes().directives()) record.directives = *directives;
  const std::string told = directives_.carry_out(record, planned.tool);
  if (!told.empty()) record.result += capped(told, record.call.id, nullptr);
  const auto stored = run_.ask_of<points::OnToolResultPersist>(record.call, scope, [&](const auto& context) {
    context({.tool_name = record.call.name,
             .tool_call_id = record.call.id,
             .result = record.result,
             .tier = run_.scope.tier});
  });
  const auto kept = stored.changes().result();
  if (!kept) return static_cast<bool>(changed);
  planned.whole.clear();
  record.result = capped(*kept, record.call.id, nullptr);
  return true;
}

void ToolBatch::report(const ToolRecord& record, Code code, const std::string& message) {
  run_.dispatcher.error(run_.scope, code_name(code), record.call.name + ": " + message, "tool:" + record.call.name,
                        true);
}

std::string ToolBatch::capped(std::string text, const std::string& call_id, std::string* whole) const {
  if (text.size() <= run_.max_result()) return text;
  const bool kept = whole != nullptr && run_.can_inspect();
  std::string shown = cut_for_model(text, run_.max_result(), kept ? call_id : "");
  if (whole != nullptr) *whole = std::move(text);
  return shown;
}

}  // namespace lh
