#include "engine/tasks/event_json.h"

#include <variant>

#include "engine/tasks/plain_event_json.h"
#include "generation/conversation_json.h"

namespace lh {
namespace {

Json to_json(const StartEvent& event) {
  return {{"type", "start"},
          {"run_id", event.run_id},
          {"model_id", event.model_id},
          {"prompt_tokens", event.prompt_tokens}};
}

Json bytes_of(const std::string& text) {
  Json bytes = Json::array();
  for (const char byte : text) bytes.push_back(static_cast<unsigned char>(byte));
  return bytes;
}

Json to_json(const std::vector<Candidate>& candidates) {
  Json json = Json::array();
  for (const Candidate& one : candidates) {
    json.push_back(
        {{"token", one.token}, {"text", one.bytes}, {"bytes", bytes_of(one.bytes)}, {"logprob", one.logprob}});
  }
  return json;
}

Json to_json(const TokenEvent& event) {
  Json json = {{"type", "token"},
               {"index", event.index},
               {"token", event.token},
               {"text", event.text},
               {"kind", piece_kind_name(event.kind)}};
  if (event.logprob) json["logprob"] = *event.logprob;
  if (event.top) json["top_logprobs"] = to_json(*event.top);
  if (!event.logprobs.empty()) json["logprobs"] = lh::to_json(event.logprobs);
  return json;
}

Json to_json(const PromptProgress& event) {
  return {
      {"type", "prompt_progress"}, {"processed", event.processed}, {"total", event.total}, {"cached", event.cached}};
}

Json to_json(const LoadProgressEvent& event) { return {{"type", "progress"}, {"progress", event.progress}}; }

Json to_json(const ToolCallEvent& event) {
  return {{"type", "tool_call"}, {"id", event.call.id}, {"name", event.call.name}, {"args", event.call.args}};
}

}  // namespace

Json to_json(const RatedTokens& logprobs) {
  Json json = Json::array();
  for (const RatedToken& token : logprobs) {
    json.push_back({{"index", token.index},
                    {"token", token.token},
                    {"text", token.bytes},
                    {"bytes", bytes_of(token.bytes)},
                    {"kind", piece_kind_name(token.kind)},
                    {"logprob", token.logprob}});
    if (token.top) json.back()["top_logprobs"] = to_json(*token.top);
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
