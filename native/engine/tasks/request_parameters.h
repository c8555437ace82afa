// The plain parts of what callers send: options of the engine and of requests.
// Generated from native/contract/parameters.json by scripts/generate-contract.mjs; do not edit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/object_reader.h"
#include "base/json/tags.h"

namespace lh {

enum class Isolation { kNone, kProcess };
enum class OnHookFailure { kWarn, kIgnore };
enum class Stream { kLive, kHeld };
enum class Pooling { kModel, kNone, kMean, kCls, kLast };
enum class Encoding { kFloat, kBase64 };

struct EngineOptions {
  std::string libraries;  // empty: the libraries that are loaded
  std::string gpu_module;
  bool gpu = true;
  Isolation isolation = Isolation::kNone;
  int32_t step_timeout_ms = 120000;
  std::string host_program;
  std::optional<std::vector<std::string>> rpc;
  std::string rpc_module;
  int32_t max_queued = 1024;
  int32_t close_timeout_ms = 5000;
  std::optional<int32_t> memory_budget;  // none: the free memory of each device
  std::map<std::string, int32_t> device_budgets;  // empty: memory_budget for each
  int32_t low_memory = 0;
  OnHookFailure on_hook_failure = OnHookFailure::kWarn;
};

void read(ObjectReader& reader, EngineOptions& out);

struct AdapterParams {
  std::string model;  // empty: the only loaded model
  double scale = 1.0;
};

void read(ObjectReader& reader, AdapterParams& out);

struct GenerateOptions {
  std::string model;  // empty: the only loaded model
  std::string prompt;
  bool continue_final_message = false;
  Stream stream = Stream::kLive;
  std::string tier;
  int32_t priority = 0;
  Tags tags;
};

void read(ObjectReader& reader, GenerateOptions& out);

struct EmbedOptions {
  std::vector<std::string> texts;
  std::string model;  // empty: the only loaded model
  Pooling pooling = Pooling::kModel;
  bool normalize = true;
  Encoding encoding = Encoding::kFloat;
};

void read(ObjectReader& reader, EmbedOptions& out);

struct RerankOptions {
  std::string query;
  std::vector<std::string> documents;
  std::string model;  // empty: the only loaded model
  std::optional<int32_t> top_n;  // none: all
  bool normalize = false;
};

void read(ObjectReader& reader, RerankOptions& out);

struct TokenizeOptions {
  std::string text;
  bool add_special = false;
  bool parse_special = false;
};

void read(ObjectReader& reader, TokenizeOptions& out);

struct DetokenizeOptions {
  bool special = false;
};

void read(ObjectReader& reader, DetokenizeOptions& out);

struct RenderOptions {
  bool add_generation_prompt = true;
  bool continue_final_message = false;
  bool reasoning = true;
  bool preserve_reasoning = true;
  std::optional<Json> chat_template_args;
};

void read(ObjectReader& reader, RenderOptions& out);

}  // namespace lh
