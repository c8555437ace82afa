#include "engine/tasks/results.h"

#include <algorithm>

#include "engine/tasks/event_json.h"
#include "generation/conversation_json.h"

namespace lh {
Json to_json(const std::optional<Stop>& stop) {
  if (!stop) return nullptr;
  return {{"by", stop->by}, {"reason", stop->reason}};
}

Json to_json(const std::vector<Decision>& decisions) {
  Json json = Json::array();
  for (const Decision& decision : decisions) json.push_back(lh::to_json(decision));
  return json;
}

void tell_refusal(TaskEnd& end, const std::vector<Decision>& decisions) {
  if (end.status.code() != Code::kHookCancelled) return;
  const auto found = std::ranges::find(decisions.rbegin(), decisions.rend(), Action::kCancelled, &Decision::action);
  if (found != decisions.rend()) end.json["decision"] = lh::to_json(*found);
}

TaskEnd failed_end(const Status& status, const Refusal& refused) {
  TaskEnd end{status};
  if (refused) end.json["decision"] = lh::to_json(*refused);
  return end;
}

TaskEnd generation_end(const Scope& scope, const ModelAnswer& answer) {
  TaskEnd end = answer.status.ok() ? TaskEnd() : failed_end(answer.status, answer.refused);
  end.json.update({{"run_id", scope.run_id},
                   {"model_id", answer.model_id.empty() ? scope.model_id : answer.model_id},  // empty: it has not begun
                   {"text", answer.content}});
  if (answer.status.ok()) {
    end.json["reasoning"] = answer.reasoning;
    end.json["tool_calls"] = lh::to_json(answer.tool_calls);
    end.json["finish_reason"] = finish_reason_name(answer.finish_reason);
    if (!answer.stop_text.empty()) end.json["stop_text"] = answer.stop_text;
    end.json["limit"] = answer.finish_reason == FinishReason::kLength ? Json("max_tokens") : Json();
    end.json["usage"] = lh::to_json(answer.usage);
    if (!answer.logprobs.empty()) end.json["logprobs"] = to_json(answer.logprobs);
    end.json["cancel"] = to_json(answer.cancel);
    end.json["halt"] = to_json(answer.halt);
    end.json["messages"] = lh::to_json(answer.messages);
  }
  end.json["decisions"] = to_json(answer.decisions);
  tell_refusal(end, answer.decisions);
  return end;
}

}  // namespace lh
