#include "engine/tasks/event_json.h"

#include <variant>

#include "generation/conversation_json.h"

namespace lh {
namespace {

Json to_json(const TokenEvent& event) {
  Json json = {{"type", "token"},
               {"index", event.index},
               {"token", event.token},
               {"text", event.text},
               {"kind", piece_kind_name(event.kind)}};
  if (event.logprob) json["logprob"] = *event.logprob;
  if (!event.top) return json;
  Json& top = json["top_logprobs"] = Json::array();
  for (const Candidate& one : *event.top) {
    top.push_back({{"token", one.token}, {"text", one.bytes}, {"logprob", one.logprob}});
  }
  return json;
}

Json to_json(const PromptProgress& event) {
  return {
      {"type", "prompt_progress"}, {"processed", event.processed}, {"total", event.total}, {"cached", event.cached}};
}

Json to_json(const ReplacedEvent& event) {
  return {{"type", "replaced"}, {"text", event.text}, {"reasoning", event.reasoning}};
}

Json to_json(const LoadProgressEvent& event) { return {{"type", "progress"}, {"progress", event.progress}}; }

Json to_json(const StateEvent& event) {
  return {{"type", "state"}, {"previous", event.previous}, {"current", event.current}};
}

Json to_json(const IterationEvent& event) { return {{"type", "iteration"}, {"iteration", event.iteration}}; }

Json to_json(const ToolCallEvent& event) {
  return {{"type", "tool_call"}, {"id", event.call.id}, {"name", event.call.name}, {"args", event.call.args}};
}

Json to_json(const ToolResultEvent& event) { return {{"type", "tool_result"}, {"record", event.record}}; }

Json to_json(const DelegationEvent& event) {
  return {{"type", "delegation"}, {"tier", event.tier}, {"task", event.task}, {"child", event.child}};
}

Json to_json(const CompactionEvent& event) {
  return {{"type", "compaction"},
          {"strategy", event.strategy},
          {"tokens_before", event.tokens_before},
          {"tokens_after", event.tokens_after},
          {"removed", event.removed}};
}

Json to_json(const NotifyEvent& event) { return {{"type", "notify"}, {"tool", event.tool}, {"params", event.params}}; }

}  // namespace

Json to_json(const std::vector<TokenEvent>& logprobs) {
  Json json = Json::array();
  for (const TokenEvent& token : logprobs) {
    json.push_back(to_json(token));
    json.back().erase("type");
  }
  return json;
}

std::string event_json(const Event& event, const EventOrigin* origin) {
  Json json = std::visit([](const auto& one) { return to_json(one); }, event);
  if (origin != nullptr) {
    json["run_id"] = origin->run_id;
    json["depth"] = origin->depth;
  }
  return dump_json(json);
}

}  // namespace lh
