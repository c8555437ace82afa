#include "model/sampling_params.h"

#include <algorithm>

#include "base/text/names.h"

namespace lh {
namespace {

// Variables that come from the conversation and the vocabulary, and where the prompt ends.
constexpr std::string_view kOwnVariables[] = {"messages", "tools", "add_generation_prompt", "bos_token", "eos_token"};

}  // namespace

Status check_chat_template_args(const Json& args, const std::string& what) {
  for (const auto& [name, value] : args.items()) {
    if (std::ranges::find(kOwnVariables, std::string_view(name)) != std::end(kOwnVariables)) {
      return {Code::kInvalidArgument, what + "." + name + " cannot be set: the engine gives the chat template its own"};
    }
    if (name == kThinkingSwitch && !value.is_boolean()) {
      return {Code::kInvalidArgument, what + "." + name + " must be a boolean, got " + dump_json(value)};
    }
  }
  return {};
}

Result<SamplingParams> parse_sampling_params(const Json& params) {
  SamplingParams parsed;
  ObjectReader reader(params, "params", ObjectReader::Null::kUnset);
  read(reader, parsed);
  if (Status status = reader.done(); !status.ok()) return status;
  for (const auto& [name, value] : params.items()) parsed.given.push_back(name);
  if (params.is_object() && params.contains("grammar") && params["grammar"] == "") {
    return Status(Code::kInvalidGrammar, "params.grammar is empty; pass null for no grammar");
  }
  if (parsed.top_n_sigma < 0 && parsed.top_n_sigma != -1) {
    return Status(Code::kInvalidArgument, shown_field("params.top_n_sigma") +
                                              " must be a number from 0 up, or -1 for off, got " +
                                              dump_json(parsed.top_n_sigma));
  }
  if (!parsed.grammar.empty() && parsed.json_schema) {
    return Status(Code::kInvalidArgument,
                  "params.grammar and " + shown_field("params.json_schema") + " exclude each other: remove one");
  }
  if (parsed.chat_template_args) {
    Status status = check_chat_template_args(*parsed.chat_template_args, shown_field("params.chat_template_args"));
    if (!status.ok()) return status;
  }
  return parsed;
}

}  // namespace lh
