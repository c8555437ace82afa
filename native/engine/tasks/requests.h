// Parses and checks the JSON of callers: engine options, load options, generation requests.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/delegation/plan.h"
#include "agent/session/session.h"
#include "base/json/json.h"
#include "base/status.h"
#include "engine/tasks/recent_conversations.h"
#include "engine/tasks/request_parameters.h"
#include "generation/model_call.h"
#include "hooks/calls/user_questions.h"
#include "hooks/registry/hook_scope.h"
#include "model/generator.h"
#include "model/sampling_params.h"
#include "port/own_model.h"

namespace lh {

struct LoadRequest {
  std::string path;  // of a remote model its address
  LoadParams params;
  std::shared_ptr<OwnModel> own;  // null: the model is in the file
};

struct AdapterRequest : AdapterParams {
  std::string path;
};

struct GenerateRequest : GenerateOptions {
  std::shared_ptr<HookScope> hooks;  // for this call only; null: none
  ModelRequest call;                 // with the prompt and stream of the options
};

Result<EngineOptions> parse_engine_options(std::string_view json);
Result<LoadRequest> parse_load_request(std::string_view json);
// Leaves `own` unset.
Result<OwnModelParams> parse_own_model(std::string_view json);
Result<AdapterRequest> parse_adapter_request(std::string_view json);
// {"adapters": [...]}: as the sampling parameter of that name.
Result<std::vector<AdapterChoice>> parse_swap_request(std::string_view json);
Result<GenerateRequest> parse_generate_request(std::string_view json, RecentConversations& recent);

// Parses the params of ON_MODEL_LOAD.
Result<LoadParams> parse_load_params(const Json& params);

// Parses the options of a session, without its tools.
Result<SessionSetup> parse_session_options(std::string_view json);

struct RunRequest : RunParams {
  Json params = Json::object();  // sampling parameters, laid over the session's
  std::optional<Plan> plan;
  Messages history;                  // added to the conversation before the content
  WaitingAnswers resume;             // in place of the content; empty: none
  std::shared_ptr<HookScope> hooks;  // for this run only; null: none
};
Result<RunRequest> parse_run_request(std::string_view json);
Result<CompactParams> parse_compact_request(std::string_view json);
Result<HistoryParams> parse_history_request(std::string_view json);
Result<UserRequest> parse_elicit_request(std::string_view json);

Result<EmbedOptions> parse_embed_request(std::string_view json);
Result<RerankOptions> parse_rerank_request(std::string_view json);

Result<TokenizeOptions> parse_tokenize_request(std::string_view json);

struct DetokenizeRequest : DetokenizeOptions {
  std::vector<int32_t> tokens;
};
Result<DetokenizeRequest> parse_detokenize_request(std::string_view json);

struct RenderRequest : RenderOptions {
  Messages messages;
  Tools tools;
  SamplingParams params;
};
Result<RenderRequest> parse_render_request(std::string_view json, RecentConversations& recent);

}  // namespace lh
