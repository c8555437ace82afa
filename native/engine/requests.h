// What callers send as JSON, checked and typed: engine options, load options, generation requests.
// Must not: act on it.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "engine/request_parameters.h"
#include "inference/generator.h"
#include "inference/sampling_params.h"

namespace lh {

struct LoadRequest {
  std::string path;
  LoadParams params;
};

struct GenerateRequest : GenerateOptions {
  bool raw = false;  // `prompt` is given to the model as it is, and messages are empty
  Json messages = Json::array();
  Json tools = Json::array();
  bool held = false;
  SamplingParams params;
};

Result<EngineOptions> parse_engine_options(std::string_view json);
Result<LoadRequest> parse_load_request(std::string_view json);
Result<GenerateRequest> parse_generate_request(std::string_view json);

// The params of ON_MODEL_LOAD.
Result<LoadParams> parse_load_params(const Json& params);

Result<TokenizeOptions> parse_tokenize_request(std::string_view json);

struct DetokenizeRequest : DetokenizeOptions {
  std::vector<int32_t> tokens;
};
Result<DetokenizeRequest> parse_detokenize_request(std::string_view json);

struct RenderRequest : RenderOptions {
  Json messages;
  Json tools = Json::array();
  SamplingParams params;
};
Result<RenderRequest> parse_render_request(std::string_view json);

// Gives every tool call without an id one, and every message a content, so that what hooks see is complete.
void complete_messages(Json& messages);

}  // namespace lh
