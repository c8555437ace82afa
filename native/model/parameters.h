// Parameters of a generation and of a model.
// Generated from native/contract/parameters.json by scripts/generate-contract.mjs; do not edit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/object_reader.h"
#include "model/adapter_choice.h"
#include "model/logit_bias.h"
#include "model/tool_choice.h"

namespace lh {

enum class StopIn { kText, kAll };
enum class SpecialTokens { kText, kAllow };
enum class KvType { kF16, kQ8_0, kF32 };
enum class KvCache { kStreams, kUnified };
enum class Speculation { kOff, kNgram };
enum class SplitMode { kLayer, kRow, kNone };

struct SamplingParams {
  std::optional<int32_t> max_tokens;  // none: as many as fit into the context
  double temperature = 0.8;
  double dynatemp_range = 0.0;
  int32_t top_k = 40;
  double top_p = 0.95;
  double min_p = 0.05;
  double typical_p = 1.0;
  double top_n_sigma = -1.0;
  std::optional<uint32_t> seed;  // none: random
  double repeat_penalty = 1.0;
  double presence_penalty = 0.0;
  double frequency_penalty = 0.0;
  int32_t penalty_last_n = 64;
  double dry_multiplier = 0.0;
  double dry_base = 1.75;
  int32_t dry_allowed_length = 2;
  int32_t dry_penalty_last_n = 64;
  std::optional<std::vector<std::string>> dry_sequence_breakers;  // none: llama.cpp's own
  double xtc_probability = 0.0;
  double xtc_threshold = 0.1;
  int32_t mirostat = 0;
  double mirostat_tau = 5.0;
  double mirostat_eta = 0.1;
  double adaptive_target = -1.0;
  double adaptive_decay = 0.9;
  std::vector<LogitBias> logit_bias;
  std::vector<AdapterChoice> adapters;
  std::vector<std::string> stop;
  StopIn stop_in = StopIn::kText;
  std::string grammar;
  std::optional<Json> json_schema;
  bool strict_schema = false;
  ToolChoice tool_choice;
  bool parallel_tool_calls = true;
  SpecialTokens special_tokens = SpecialTokens::kText;
  bool ignore_eos = false;
  bool logprobs = false;
  int32_t top_logprobs = 0;
  bool reasoning = true;
  bool preserve_reasoning = true;
  std::optional<int32_t> reasoning_budget;  // none: no limit
  std::optional<Json> chat_template_args;
  std::vector<std::string> given;  // keys that were set, also to their default
};

void read(ObjectReader& reader, SamplingParams& out);
// With every default filled in; what is not set is left out.
Json to_json(const SamplingParams& params);

struct LoadParams {
  int32_t gpu_layers = -1;
  int32_t context_size = 0;
  int32_t parallel = 4;
  int32_t batch_size = 512;
  int32_t threads = 0;
  KvType kv_type = KvType::kF16;
  KvCache kv_cache = KvCache::kStreams;
  std::optional<int32_t> cache_memory;  // none: the size of the KV cache, from 16 to 1024
  double fairness = 0.125;
  Speculation speculation = Speculation::kOff;
  std::string draft_model;
  bool pinned = false;
  std::optional<int32_t> keep_alive;  // none: until its memory is needed
  bool lazy = false;
  bool mmap = true;
  std::optional<std::vector<std::string>> devices;  // none: every GPU of the process
  SplitMode split_mode = SplitMode::kLayer;
  std::string main_device;  // empty: the first
  std::optional<std::vector<double>> tensor_split;  // none: by free memory
  int32_t cpu_moe = 0;
  std::string chat_template;  // empty: the template in the model file
};

void read(ObjectReader& reader, LoadParams& out);
// With every default filled in; what is not set is left out.
Json to_json(const LoadParams& params);

struct OwnModelParams {
  std::string address;
  std::string description;
  std::string fallback;
  int32_t context_size = 32768;
  int32_t parallel = 16;
  std::optional<std::vector<std::string>> features;  // none: tools
  std::optional<std::vector<std::string>> parameters;  // none: "max_tokens", "temperature", "top_p", "seed" and "stop"
};

void read(ObjectReader& reader, OwnModelParams& out);

}  // namespace lh
