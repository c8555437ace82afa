// How a generation samples: the "params" of lh_generate with types, defaults and ranges.
// Must not: know llama.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace lh {

enum class ToolChoice { kAuto, kNone, kRequired };

struct LogitBias {
  int32_t token;
  std::optional<float> bias;  // none: the token is never sampled
};

struct SamplingParams {
  std::optional<int32_t> max_tokens;  // none: what the context leaves
  float temperature = 0.8f;           // 0: greedy
  int32_t top_k = 40;                 // 0: all
  float top_p = 0.95f;
  float min_p = 0.05f;
  float typical_p = 1.0f;
  float top_n_sigma = -1.0f;  // negative: off
  std::optional<uint32_t> seed;
  float repeat_penalty = 1.0f;
  float presence_penalty = 0.0f;
  float frequency_penalty = 0.0f;
  int32_t penalty_last_n = 64;
  float dry_multiplier = 0.0f;
  float dry_base = 1.75f;
  int32_t dry_allowed_length = 2;
  int32_t dry_penalty_last_n = 64;
  std::optional<std::vector<std::string>> dry_sequence_breakers;  // none: llama.cpp's own
  float xtc_probability = 0.0f;
  float xtc_threshold = 0.1f;
  int32_t mirostat = 0;
  float mirostat_tau = 5.0f;
  float mirostat_eta = 0.1f;
  std::vector<LogitBias> logit_bias;
  std::vector<std::string> stop;
  std::string grammar;                // GBNF; empty: none
  std::optional<Json> json_schema;
  ToolChoice tool_choice = ToolChoice::kAuto;
  bool strict_schema = false;  // keywords of a JSON Schema that would have no effect are refused
  bool ignore_eos = false;
  bool logprobs = false;
};

// Reads "params"; the error names the key, the range and what was got.
Result<SamplingParams> parse_sampling_params(const Json& params);

// The same as JSON, with every default filled in: what PRE_GENERATE shows.
Json sampling_params_json(const SamplingParams& params);

}  // namespace lh
