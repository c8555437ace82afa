// Generated from native/contract/parameters.json by scripts/generate-contract.mjs; do not edit.
#include "engine/tasks/request_parameters.h"

#include <string_view>

namespace lh {
namespace {

constexpr std::string_view kIsolationNames[] = {"none", "process"};
constexpr std::string_view kOnHookFailureNames[] = {"warn", "ignore"};
constexpr std::string_view kStreamNames[] = {"live", "held"};
constexpr std::string_view kPoolingNames[] = {"model", "none", "mean", "cls", "last"};
constexpr std::string_view kEncodingNames[] = {"float", "base64"};

}  // namespace

void read(ObjectReader& reader, EngineOptions& out) {
  reader.text("libraries", out.libraries, "a string");
  reader.text("gpu_module", out.gpu_module, "a string");
  reader.flag("gpu", out.gpu);
  reader.choice("isolation", out.isolation, kIsolationNames, "\"none\" or \"process\"");
  reader.integer("step_timeout_ms", out.step_timeout_ms, 0, 86400000, "a whole number from 0 to 86400000");
  reader.text("host_program", out.host_program, "a string");
  reader.texts("rpc", out.rpc, true);
  reader.text("rpc_module", out.rpc_module, "a string");
  reader.integer("max_queued", out.max_queued, 0, 1048576, "a whole number from 0 to 1048576");
  reader.integer("close_timeout_ms", out.close_timeout_ms, 0, 86400000, "a whole number from 0 to 86400000");
  reader.integer("memory_budget", out.memory_budget, 1, 16777216, "a whole number from 1 to 16777216");
  reader.integers_by_name("device_budgets", out.device_budgets, 1, 16777216, "whole numbers from 1 to 16777216 by name");
  reader.integer("low_memory", out.low_memory, 0, 16777216, "a whole number from 0 to 16777216");
  reader.choice("on_hook_failure", out.on_hook_failure, kOnHookFailureNames, "\"warn\" or \"ignore\"");
}

void read(ObjectReader& reader, AdapterParams& out) {
  reader.name("model", out.model, "a string that is not empty");
  reader.number("scale", out.scale, -1000, 1000, "a number from -1000 to 1000");
}

void read(ObjectReader& reader, GenerateOptions& out) {
  reader.name("model", out.model, "a string that is not empty");
  reader.text("prompt", out.prompt, "a string");
  reader.flag("continue_final_message", out.continue_final_message);
  reader.choice("stream", out.stream, kStreamNames, "\"live\" or \"held\"");
  reader.name("tier", out.tier, "a string that is not empty");
  reader.integer("priority", out.priority, -1000000, 1000000, "a whole number from -1000000 to 1000000");
  read_tags(reader, "tags", out.tags);
}

void read(ObjectReader& reader, EmbedOptions& out) {
  reader.texts("texts", out.texts, true);
  reader.name("model", out.model, "a string that is not empty");
  reader.choice("pooling", out.pooling, kPoolingNames, "\"model\", \"none\", \"mean\", \"cls\" or \"last\"");
  reader.flag("normalize", out.normalize);
  reader.choice("encoding", out.encoding, kEncodingNames, "\"float\" or \"base64\"");
}

void read(ObjectReader& reader, RerankOptions& out) {
  reader.text("query", out.query, "a string");
  reader.texts("documents", out.documents, true);
  reader.name("model", out.model, "a string that is not empty");
  reader.integer("top_n", out.top_n, 1, 2147483647, "a whole number from 1 up");
  reader.flag("normalize", out.normalize);
}

void read(ObjectReader& reader, TokenizeOptions& out) {
  reader.text("text", out.text, "a string");
  reader.flag("add_special", out.add_special);
  reader.flag("parse_special", out.parse_special);
}

void read(ObjectReader& reader, DetokenizeOptions& out) {
  reader.flag("special", out.special);
}

void read(ObjectReader& reader, RenderOptions& out) {
  reader.flag("add_generation_prompt", out.add_generation_prompt);
  reader.flag("continue_final_message", out.continue_final_message);
  reader.flag("reasoning", out.reasoning);
  reader.flag("preserve_reasoning", out.preserve_reasoning);
  reader.object("chat_template_args", out.chat_template_args);
}

}  // namespace lh
