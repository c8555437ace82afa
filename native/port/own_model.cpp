#include "port/own_model.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/names.h"

namespace lh {
namespace {

// The features that a description may name.
constexpr std::array<std::string_view, 6> kFeatures = {"tools",   "json_schema", "logprobs",
                                                       "grammar", "raw",         "continue_final_message"};

// The feature that a sampling parameter is a part of.
struct Governed {
  std::string_view parameter;
  std::string_view feature;
};
constexpr Governed kGoverned[] = {
    {"tool_choice", "tools"},       {"parallel_tool_calls", "tools"}, {"strict_schema", "json_schema"},
    {"json_schema", "json_schema"}, {"logprobs", "logprobs"},         {"top_logprobs", "logprobs"},
    {"grammar", "grammar"},         {"adapters", "adapters"},
};

// Followed by a model whose description names none.
constexpr std::array<std::string_view, 5> kUsual = {"max_tokens", "temperature", "top_p", "seed", "stop"};

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

const Json& defaults() {
  static const Json all = to_json(SamplingParams());
  return all;
}

}  // namespace

Code code_of(lh_status status) {
  const auto code = static_cast<Code>(status);
  return std::string_view(code_name(code)) == "UNKNOWN" ? Code::kInternal : code;
}

Status unsupported(const std::string& model_id, const std::string& what) {
  return {Code::kUnsupportedByModel, "the model \"" + model_id + "\" computes elsewhere and does not support " + what};
}

std::string without_secrets(std::string address) {
  const size_t scheme = address.find("://");
  const size_t host = scheme == std::string::npos ? 0 : scheme + 3;
  address.resize(std::min(address.size(), address.find_first_of("?#", host)));
  const size_t end = std::min(address.size(), address.find('/', host));
  const size_t at = address.rfind('@', end);
  if (at != std::string::npos && at >= host && at < end) address.erase(host, at + 1 - host);
  return address;
}

Result<std::shared_ptr<OwnModel>> OwnModel::create(OwnModelParams description, const lh_generator& functions) {
  description.address = without_secrets(std::move(description.address));
  if (description.features) {
    for (const std::string& feature : *description.features) {
      if (std::ranges::find(kFeatures, feature) != kFeatures.end()) continue;
      return Status(Code::kInvalidArgument, "description.features names \"" + feature +
                                                "\"; there are tools, json_schema, logprobs, grammar, raw and "
                                                "continue_final_message");
    }
  }
  if (description.parameters) {
    // The defaults do not have parameters that are unset by default.
    constexpr std::array<std::string_view, 6> kUnset = {"max_tokens",       "seed",        "dry_sequence_breakers",
                                                        "reasoning_budget", "json_schema", "chat_template_args"};
    for (const std::string& name : *description.parameters) {
      if (defaults().contains(name) || std::ranges::find(kUnset, name) != kUnset.end()) continue;
      return Status(Code::kInvalidArgument,
                    "description.parameters names \"" + name + "\", which is no sampling parameter");
    }
  }
  return std::make_shared<OwnModel>(std::move(description), functions);
}

OwnModel::~OwnModel() {
  if (kept_ && functions_.release != nullptr) functions_.release(functions_.user_data);
}

bool OwnModel::has(std::string_view feature) const {
  return description_.features ? contains(*description_.features, feature) : feature == "tools";
}

bool OwnModel::follows(std::string_view parameter) const {
  const auto* const governed = std::ranges::find(kGoverned, parameter, &Governed::parameter);
  if (governed != std::end(kGoverned)) return has(governed->feature);
  if (description_.parameters) return contains(*description_.parameters, parameter);
  return std::ranges::find(kUsual, parameter) != kUsual.end();
}

Result<Json> OwnModel::accept(const SamplingParams& params, const std::string& model_id) const {
  Json followed = Json::object();
  const Json all = to_json(params);
  for (const auto& [name, value] : all.items()) {
    const bool is_default = same_json(value, defaults().value(name, Json()));
    // Its default differs from that of remote models, so it is sent if it was set.
    if (is_default && !contains(params.given, name)) continue;
    if (follows(name)) {
      followed[name] = value;
      continue;
    }
    // The engine enforces these itself, if it has set them.
    const bool is_own = (name == "max_tokens" && !contains(params.given, name)) ||
                        (name == "tool_choice" && !params.tool_choice.may_call());
    if (is_own) continue;
    const bool asks_nothing =
        is_default && std::ranges::find(kGoverned, name, &Governed::parameter) != std::end(kGoverned);
    if (!asks_nothing) return unsupported(model_id, "the option " + shown_field(name));
  }
  return followed;
}

Status OwnModel::accept(const PromptRequest& request, const std::string& model_id) const {
  if (request.infill != nullptr) return unsupported(model_id, "infill");
  if (request.messages == nullptr && !has("raw"))
    return unsupported(model_id, "the option raw: a prompt without messages");
  if (request.continue_final_message && !has("continue_final_message")) {
    return unsupported(model_id, "the option " + shown_field("continue_final_message"));
  }
  if (request.tools != nullptr && !request.tools->empty() && !has("tools")) return unsupported(model_id, "tools");
  return {};
}

}  // namespace lh
