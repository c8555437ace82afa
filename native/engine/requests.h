// What callers send as JSON, checked and typed: engine options, load options, generation requests.
// Must not: act on it.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "inference/generator.h"
#include "inference/sampling_params.h"

namespace lh {

struct EngineOptions {
  std::string libraries;
  std::string gpu_module;
  bool gpu = true;  // false: models stay on the CPU
  size_t max_queued = 1024;
};

struct LoadRequest {
  std::string path;
  LoadParams params;
};

struct GenerateRequest {
  std::string model;  // empty: the only one loaded
  std::string tier;
  std::string parent_run_id;  // the run whose hook starts this one
  bool raw = false;   // `prompt` is given to the model as it is, and messages are empty
  std::string prompt;
  Json messages = Json::array();
  Json tools = Json::array();
  bool held = false;
  SamplingParams params;
};

Result<EngineOptions> parse_engine_options(std::string_view json);
Result<LoadRequest> parse_load_request(std::string_view json);
Result<GenerateRequest> parse_generate_request(std::string_view json);

// The params of ON_MODEL_LOAD, there and back.
Json load_params_json(const LoadParams& params);
Result<LoadParams> parse_load_params(const Json& params);

struct TokenizeRequest {
  std::string text;
  bool add_special = false;
  bool parse_special = false;
};
Result<TokenizeRequest> parse_tokenize_request(std::string_view json);

struct DetokenizeRequest {
  std::vector<int32_t> tokens;
  bool special = false;
};
Result<DetokenizeRequest> parse_detokenize_request(std::string_view json);

struct RenderRequest {
  Json messages;
  Json tools = Json::array();
  SamplingParams params;
  bool add_generation_prompt = true;
};
Result<RenderRequest> parse_render_request(std::string_view json);

// Gives every tool call without an id one, and every message a content, so that what hooks see is complete.
void complete_messages(Json& messages);

}  // namespace lh
