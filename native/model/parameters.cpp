// Generated from native/contract/parameters.json by scripts/generate-contract.mjs; do not edit.
#include "model/parameters.h"

#include <limits>
#include <string_view>

namespace lh {
namespace {

constexpr double kLargest = std::numeric_limits<float>::max();  // what llama.cpp takes
constexpr std::string_view kStopInNames[] = {"text", "all"};
constexpr std::string_view kSpecialTokensNames[] = {"text", "allow"};
constexpr std::string_view kKvTypeNames[] = {"f16", "q8_0", "f32"};
constexpr std::string_view kKvCacheNames[] = {"streams", "unified"};
constexpr std::string_view kSpeculationNames[] = {"off", "ngram"};
constexpr std::string_view kSplitModeNames[] = {"layer", "row", "none"};

}  // namespace

void read(ObjectReader& reader, SamplingParams& out) {
  reader.integer("max_tokens", out.max_tokens, 1, 2147483647, "a whole number from 1 up");
  reader.number("temperature", out.temperature, 0, kLargest, "a number from 0 (greedy) up");
  reader.number("dynatemp_range", out.dynatemp_range, 0, kLargest, "a number from 0 up");
  reader.integer("top_k", out.top_k, 0, 2147483647, "a whole number from 0 (all tokens) up");
  reader.number("top_p", out.top_p, 0, 1, "a number from 0 to 1");
  reader.number("min_p", out.min_p, 0, 1, "a number from 0 to 1");
  reader.number("typical_p", out.typical_p, 0, 1, "a number from 0 to 1");
  reader.number("top_n_sigma", out.top_n_sigma, -1, kLargest, "a number from 0 up, or -1 for off");
  reader.integer("seed", out.seed, 0, 4294967294, "a whole number from 0 to 4294967294");
  reader.number("repeat_penalty", out.repeat_penalty, 0.01, 100, "a number from 0.01 to 100");
  reader.number("presence_penalty", out.presence_penalty, -100, 100, "a number from -100 to 100");
  reader.number("frequency_penalty", out.frequency_penalty, -100, 100, "a number from -100 to 100");
  reader.integer("penalty_last_n", out.penalty_last_n, 0, 1048576, "a whole number from 0 to 1048576");
  reader.number("dry_multiplier", out.dry_multiplier, 0, 100, "a number from 0 to 100");
  reader.number("dry_base", out.dry_base, 1, 100, "a number from 1 to 100");
  reader.integer("dry_allowed_length", out.dry_allowed_length, 0, 1048576, "a whole number from 0 to 1048576");
  reader.integer("dry_penalty_last_n", out.dry_penalty_last_n, 0, 1048576, "a whole number from 0 to 1048576");
  reader.texts("dry_sequence_breakers", out.dry_sequence_breakers, true);
  reader.number("xtc_probability", out.xtc_probability, 0, 1, "a number from 0 to 1");
  reader.number("xtc_threshold", out.xtc_threshold, 0, 1, "a number from 0 to 1");
  reader.integer("mirostat", out.mirostat, 0, 2, "0, 1 or 2");
  reader.number("mirostat_tau", out.mirostat_tau, 0, 1000, "a number from 0 to 1000");
  reader.number("mirostat_eta", out.mirostat_eta, 0, 1, "a number from 0 to 1");
  reader.number("adaptive_target", out.adaptive_target, -1, 1, "a number from 0 to 1, or -1 for off");
  reader.number("adaptive_decay", out.adaptive_decay, 0, 0.99, "a number from 0 to 0.99");
  read_logit_bias(reader, "logit_bias", out.logit_bias);
  read_adapter_choice(reader, "adapters", out.adapters);
  reader.texts("stop", out.stop, false);
  reader.choice("stop_in", out.stop_in, kStopInNames, "\"text\" or \"all\"");
  reader.text("grammar", out.grammar, "GBNF text");
  reader.schema("json_schema", out.json_schema);
  reader.flag("strict_schema", out.strict_schema);
  read_tool_choice(reader, "tool_choice", out.tool_choice);
  reader.flag("parallel_tool_calls", out.parallel_tool_calls);
  reader.choice("special_tokens", out.special_tokens, kSpecialTokensNames, "\"text\" or \"allow\"");
  reader.flag("ignore_eos", out.ignore_eos);
  reader.flag("logprobs", out.logprobs);
  reader.integer("top_logprobs", out.top_logprobs, 0, 20, "a whole number from 0 to 20");
  reader.flag("reasoning", out.reasoning);
  reader.flag("preserve_reasoning", out.preserve_reasoning);
  reader.integer("reasoning_budget", out.reasoning_budget, 0, 2147483647, "a whole number from 0 up");
  reader.object("chat_template_args", out.chat_template_args);
}

Json to_json(const SamplingParams& params) {
  Json json = Json::object();
  if (params.max_tokens) json["max_tokens"] = *params.max_tokens;
  json["temperature"] = params.temperature;
  json["dynatemp_range"] = params.dynatemp_range;
  json["top_k"] = params.top_k;
  json["top_p"] = params.top_p;
  json["min_p"] = params.min_p;
  json["typical_p"] = params.typical_p;
  json["top_n_sigma"] = params.top_n_sigma;
  if (params.seed) json["seed"] = *params.seed;
  json["repeat_penalty"] = params.repeat_penalty;
  json["presence_penalty"] = params.presence_penalty;
  json["frequency_penalty"] = params.frequency_penalty;
  json["penalty_last_n"] = params.penalty_last_n;
  json["dry_multiplier"] = params.dry_multiplier;
  json["dry_base"] = params.dry_base;
  json["dry_allowed_length"] = params.dry_allowed_length;
  json["dry_penalty_last_n"] = params.dry_penalty_last_n;
  if (params.dry_sequence_breakers) json["dry_sequence_breakers"] = *params.dry_sequence_breakers;
  json["xtc_probability"] = params.xtc_probability;
  json["xtc_threshold"] = params.xtc_threshold;
  json["mirostat"] = params.mirostat;
  json["mirostat_tau"] = params.mirostat_tau;
  json["mirostat_eta"] = params.mirostat_eta;
  json["adaptive_target"] = params.adaptive_target;
  json["adaptive_decay"] = params.adaptive_decay;
  json["logit_bias"] = to_json(params.logit_bias);
  if (!params.adapters.empty()) json["adapters"] = to_json(params.adapters);
  json["stop"] = params.stop;
  json["stop_in"] = kStopInNames[static_cast<size_t>(params.stop_in)];
  if (!params.grammar.empty()) json["grammar"] = params.grammar;
  if (params.json_schema) json["json_schema"] = *params.json_schema;
  json["strict_schema"] = params.strict_schema;
  json["tool_choice"] = to_json(params.tool_choice);
  json["parallel_tool_calls"] = params.parallel_tool_calls;
  json["special_tokens"] = kSpecialTokensNames[static_cast<size_t>(params.special_tokens)];
  json["ignore_eos"] = params.ignore_eos;
  json["logprobs"] = params.logprobs;
  json["top_logprobs"] = params.top_logprobs;
  json["reasoning"] = params.reasoning;
  json["preserve_reasoning"] = params.preserve_reasoning;
  if (params.reasoning_budget) json["reasoning_budget"] = *params.reasoning_budget;
  if (params.chat_template_args) json["chat_template_args"] = *params.chat_template_args;
  return json;
}

void read(ObjectReader& reader, LoadParams& out) {
  reader.integer_or_auto("gpu_layers", out.gpu_layers, -1, 1048576, "\"auto\" or a whole number from -1 to 1048576");
  reader.integer_or_auto("context_size", out.context_size, 0, 16777216, "\"auto\" or a whole number from 0 to 16777216");
  reader.integer("parallel", out.parallel, 1, 64, "a whole number from 1 to 64");
  reader.integer("batch_size", out.batch_size, 1, 65536, "a whole number from 1 to 65536");
  reader.integer("threads", out.threads, 0, 512, "a whole number from 0 to 512");
  reader.choice("kv_type", out.kv_type, kKvTypeNames, "\"f16\", \"q8_0\" or \"f32\"");
  reader.choice("kv_cache", out.kv_cache, kKvCacheNames, "\"streams\" or \"unified\"");
  reader.integer("cache_memory", out.cache_memory, 0, 16777216, "a whole number from 0 to 16777216");
  reader.number("fairness", out.fairness, 0, 1, "a number from 0 to 1");
  reader.choice("speculation", out.speculation, kSpeculationNames, "\"off\" or \"ngram\"");
  reader.name("draft_model", out.draft_model, "a string that is not empty");
  reader.flag("pinned", out.pinned);
  reader.integer("keep_alive", out.keep_alive, 0, 31536000, "a whole number from 0 to 31536000");
  reader.flag("lazy", out.lazy);
  reader.flag("mmap", out.mmap);
  reader.texts("devices", out.devices, true);
  reader.choice("split_mode", out.split_mode, kSplitModeNames, "\"layer\", \"row\" or \"none\"");
  reader.name("main_device", out.main_device, "a string that is not empty");
  reader.numbers("tensor_split", out.tensor_split, 0, 1000000, "an array of numbers from 0 to 1000000");
  reader.integer("cpu_moe", out.cpu_moe, -1, 1048576, "a whole number from -1 to 1048576");
  reader.name("chat_template", out.chat_template, "a string that is not empty");
}

Json to_json(const LoadParams& params) {
  Json json = Json::object();
  json["gpu_layers"] = integer_or_auto(params.gpu_layers);
  json["context_size"] = integer_or_auto(params.context_size);
  json["parallel"] = params.parallel;
  json["batch_size"] = params.batch_size;
  json["threads"] = params.threads;
  json["kv_type"] = kKvTypeNames[static_cast<size_t>(params.kv_type)];
  json["kv_cache"] = kKvCacheNames[static_cast<size_t>(params.kv_cache)];
  if (params.cache_memory) json["cache_memory"] = *params.cache_memory;
  json["fairness"] = params.fairness;
  json["speculation"] = kSpeculationNames[static_cast<size_t>(params.speculation)];
  if (!params.draft_model.empty()) json["draft_model"] = params.draft_model;
  json["pinned"] = params.pinned;
  if (params.keep_alive) json["keep_alive"] = *params.keep_alive;
  json["lazy"] = params.lazy;
  json["mmap"] = params.mmap;
  if (params.devices) json["devices"] = *params.devices;
  json["split_mode"] = kSplitModeNames[static_cast<size_t>(params.split_mode)];
  if (!params.main_device.empty()) json["main_device"] = params.main_device;
  if (params.tensor_split) json["tensor_split"] = *params.tensor_split;
  json["cpu_moe"] = params.cpu_moe;
  if (!params.chat_template.empty()) json["chat_template"] = params.chat_template;
  return json;
}

void read(ObjectReader& reader, OwnModelParams& out) {
  reader.text("address", out.address, "a string");
  reader.text("description", out.description, "a string");
  reader.name("fallback", out.fallback, "a string that is not empty");
  reader.integer("context_size", out.context_size, 16, 16777216, "a whole number from 16 to 16777216");
  reader.integer("parallel", out.parallel, 1, 4096, "a whole number from 1 to 4096");
  reader.texts("features", out.features, true);
  reader.texts("parameters", out.parameters, true);
}

}  // namespace lh
