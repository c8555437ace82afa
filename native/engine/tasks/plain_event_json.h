// The events whose fields are plain values, as JSON.
// Generated from native/contract/events.json by scripts/generate-contract.mjs; do not edit.
#pragma once

#include "generation/plain_events.h"

namespace lh {

inline Json to_json(const ToolCallDeltaEvent& event) {
  return {{"type", "tool_call_delta"}, {"index", event.index}, {"id", event.id}, {"name", event.name}, {"args_text", event.args_text}};
}

inline Json to_json(const ReplacedEvent& event) {
  return {{"type", "replaced"}, {"text", event.text}, {"reasoning", event.reasoning}, {"tool_calls", event.tool_calls}};
}

inline Json to_json(const StateEvent& event) {
  return {{"type", "state"}, {"previous", event.previous}, {"current", event.current}};
}

inline Json to_json(const IterationEvent& event) {
  return {{"type", "iteration"}, {"iteration", event.iteration}};
}

inline Json to_json(const ToolProgressEvent& event) {
  Json json = {{"type", "tool_progress"}, {"tool_call_id", event.tool_call_id}, {"name", event.name}, {"done", event.done}};
  if (event.total) json["total"] = *event.total;
  if (event.message) json["message"] = *event.message;
  return json;
}

inline Json to_json(const ToolResultEvent& event) {
  return {{"type", "tool_result"}, {"record", event.record}};
}

inline Json to_json(const DelegationEvent& event) {
  return {{"type", "delegation"}, {"tier", event.tier}, {"task", event.task}, {"child", event.child}};
}

inline Json to_json(const CompactionEvent& event) {
  return {{"type", "compaction"}, {"strategy", event.strategy}, {"tokens_before", event.tokens_before}, {"tokens_after", event.tokens_after}, {"removed", event.removed}};
}

inline Json to_json(const NotifyEvent& event) {
  return {{"type", "notify"}, {"tool", event.tool}, {"params", event.params}};
}

}  // namespace lh
