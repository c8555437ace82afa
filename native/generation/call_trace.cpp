#include "generation/call_trace.h"

#include "generation/conversation_json.h"

namespace lh {
namespace {

const char* kind_of(const ModelRequest& request) {
  if (request.infill) return "infill";
  return request.raw ? "text" : "chat";
}

Json sampling_of(const SamplingParams& params) {
  Json json = {{"temperature", params.temperature},
               {"top_k", params.top_k},
               {"top_p", params.top_p},
               {"min_p", params.min_p},
               {"repeat_penalty", params.repeat_penalty},
               {"presence_penalty", params.presence_penalty},
               {"frequency_penalty", params.frequency_penalty},
               {"stop", params.stop}};
  if (params.max_tokens) json["max_tokens"] = *params.max_tokens;
  if (params.seed) json["seed"] = *params.seed;
  return json;
}

}  // namespace

void add_call_begin(Json& fields, const ModelRequest& request) {
  fields["kind"] = kind_of(request);
  fields["params"] = sampling_of(request.params);
}

void add_call_end(Json& fields, const ModelAnswer& answer) {
  fields["params"] = sampling_of(answer.params);
  if (!answer.status.ok()) {
    fields["code"] = code_name(answer.status.code());
    return;
  }
  fields["answered_by"] = answer.model_id;
  fields["finish_reason"] = finish_reason_name(answer.finish_reason);
  fields["usage"] = to_json(answer.usage);
  add_stops(fields, answer.cancel, answer.halt);
}

void add_stops(Json& fields, const std::optional<Stop>& cancel, const std::optional<Stop>& halt) {
  const auto json = [](const Stop& stop) { return Json{{"by", stop.by}, {"reason", null_if_empty(stop.reason)}}; };
  if (cancel) fields["cancel"] = json(*cancel);
  if (halt) fields["halt"] = json(*halt);
}

}  // namespace lh
