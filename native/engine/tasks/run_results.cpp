#include "engine/tasks/run_results.h"

#include "engine/tasks/event_json.h"
#include "engine/tasks/results.h"
#include "generation/conversation_json.h"

namespace lh {
namespace {

Json to_json(const std::vector<ToolRecord>& records) {
  Json json = Json::array();
  for (const ToolRecord& record : records) json.push_back(lh::to_json(record));
  return json;
}

Json to_json(const std::vector<RunStep>& steps) {
  Json json = Json::array();
  for (const RunStep& step : steps) {
    json.push_back({{"iteration", step.iteration},
                    {"model_id", step.model_id},
                    {"finish_reason", finish_reason_name(step.finish)},
                    {"usage", lh::to_json(step.usage)},
                    {"tool_call_ids", step.tool_call_ids}});
  }
  return json;
}

}  // namespace

TaskEnd run_end(const Session& session, const ModelUse& model, const std::string& run_id, const RunResult& result) {
  TaskEnd end = result.status.ok() ? TaskEnd() : failed_end(result.status, result.refused);
  end.json.update({{"run_id", run_id}, {"session_id", session.id()}, {"model_id", model.id}, {"text", result.text}});
  if (result.status.ok()) {
    end.json["reasoning"] = result.reasoning;
    if (!result.logprobs.empty()) end.json["logprobs"] = to_json(result.logprobs);
    end.json["finish_reason"] = run_finish_name(result.finish);
    end.json["cancel"] = to_json(result.cancel);
    end.json["halt"] = to_json(result.halt);
    end.json["limit"] = result.limit.empty() ? Json() : Json(result.limit);
    end.json["usage"] = lh::to_json(result.usage);
    if (result.finish == RunFinish::kWaiting) end.json["waiting"] = result.waiting;
  }
  end.json["messages"] = history_json(result.messages);
  end.json["tool_calls"] = to_json(result.tool_calls);
  end.json["child_tool_calls"] = to_json(result.child_tool_calls);
  if (result.answered) end.json["answered"] = *result.answered;
  end.json["steps"] = to_json(result.steps);
  end.json["iterations"] = result.iterations;
  end.json["decisions"] = to_json(result.decisions);
  tell_refusal(end, result.decisions);
  return end;
}

}  // namespace lh
