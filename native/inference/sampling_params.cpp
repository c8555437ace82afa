#include "inference/sampling_params.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace lh {
namespace {

Status wrong(std::string_view key, std::string_view expected, const Json& got) {
  return Status(Code::kInvalidArgument,
                "params." + std::string(key) + " must be " + std::string(expected) + ", got " + dump_json(got));
}

// One entry a key: how it is read and how it is written. The map is the whole list of what params takes.
struct Field {
  std::function<Status(SamplingParams&, const Json&)> read;
  std::function<Json(const SamplingParams&)> write;
};

constexpr double kLargest = std::numeric_limits<float>::max();

template <typename T>
Field number(std::string key, T SamplingParams::*member, double low, double high, std::string expected) {
  return {[=](SamplingParams& params, const Json& value) -> Status {
            const bool whole = !std::is_integral_v<T> || value.is_number_integer();
            if (!value.is_number() || !whole) return wrong(key, expected, value);
            const double got = value.get<double>();
            if (!std::isfinite(got) || got < low || got > high) return wrong(key, expected, value);
            params.*member = static_cast<T>(got);
            return {};
          },
          [=](const SamplingParams& params) { return Json(params.*member); }};
}

Field flag(std::string key, bool SamplingParams::*member) {
  return {[=](SamplingParams& params, const Json& value) -> Status {
            if (!value.is_boolean()) return wrong(key, "a boolean", value);
            params.*member = value.get<bool>();
            return {};
          },
          [=](const SamplingParams& params) { return Json(params.*member); }};
}

Result<std::vector<std::string>> read_strings(std::string_view key, const Json& value, bool empty_allowed) {
  const std::string_view expected = empty_allowed ? "an array of strings" : "an array of strings that are not empty";
  if (!value.is_array()) return wrong(key, expected, value);
  std::vector<std::string> strings;
  for (const Json& item : value) {
    if (!item.is_string() || (!empty_allowed && item.get_ref<const std::string&>().empty())) {
      return wrong(key, expected, value);
    }
    strings.push_back(item.get<std::string>());
  }
  return strings;
}

Status read_logit_bias(SamplingParams& params, const Json& value) {
  constexpr std::string_view kExpected = R"(an array of {"token": id, "bias": number or null})";
  if (!value.is_array()) return wrong("logit_bias", kExpected, value);
  params.logit_bias.clear();
  for (const Json& item : value) {
    const bool shaped = item.is_object() && item.contains("token") && item["token"].is_number_integer() &&
                        item["token"] >= 0 && item["token"] <= INT32_MAX && item.contains("bias") && (item["bias"].is_number() || item["bias"].is_null());
    if (!shaped) return wrong("logit_bias", kExpected, item);
    std::optional<float> bias;
    if (!item["bias"].is_null()) bias = item["bias"].get<float>();
    params.logit_bias.push_back({item["token"].get<int32_t>(), bias});
  }
  return {};
}

Json write_logit_bias(const SamplingParams& params) {
  Json list = Json::array();
  for (const LogitBias& entry : params.logit_bias) {
    list.push_back({{"token", entry.token}, {"bias", entry.bias ? Json(*entry.bias) : Json()}});
  }
  return list;
}

constexpr std::pair<std::string_view, ToolChoice> kToolChoices[] = {
    {"auto", ToolChoice::kAuto}, {"none", ToolChoice::kNone}, {"required", ToolChoice::kRequired}};

Status read_tool_choice(SamplingParams& params, const Json& value) {
  for (const auto& [name, choice] : kToolChoices) {
    if (value == name) {
      params.tool_choice = choice;
      return {};
    }
  }
  return wrong("tool_choice", R"("auto", "none" or "required")", value);
}

Json write_tool_choice(const SamplingParams& params) {
  for (const auto& [name, choice] : kToolChoices) {
    if (choice == params.tool_choice) return Json(name);
  }
  return {};
}

std::map<std::string, Field, std::less<>> make_fields() {
  using P = SamplingParams;
  std::map<std::string, Field, std::less<>> fields;
  const auto add_number = [&fields]<typename T>(const char* key, T P::*member, double low, double high,
                                                const char* expected) {
    fields[key] = number(key, member, low, high, expected);
  };
  add_number("temperature", &P::temperature, 0, kLargest, "a number from 0 (greedy) up");
  add_number("top_k", &P::top_k, 0, INT32_MAX, "a whole number from 0 (all tokens) up");
  add_number("top_p", &P::top_p, 0, 1, "a number from 0 to 1");
  add_number("min_p", &P::min_p, 0, 1, "a number from 0 to 1");
  add_number("typical_p", &P::typical_p, 0, 1, "a number from 0 to 1");
  add_number("top_n_sigma", &P::top_n_sigma, -1, kLargest, "a number from 0 up, or -1 for off");
  add_number("repeat_penalty", &P::repeat_penalty, 0.01, 100, "a number from 0.01 to 100");
  add_number("presence_penalty", &P::presence_penalty, -100, 100, "a number from -100 to 100");
  add_number("frequency_penalty", &P::frequency_penalty, -100, 100, "a number from -100 to 100");
  add_number("penalty_last_n", &P::penalty_last_n, 0, 1 << 20, "a whole number from 0 to 1048576");
  add_number("dry_multiplier", &P::dry_multiplier, 0, 100, "a number from 0 to 100");
  add_number("dry_base", &P::dry_base, 1, 100, "a number from 1 to 100");
  add_number("dry_allowed_length", &P::dry_allowed_length, 0, 1 << 20, "a whole number from 0 to 1048576");
  add_number("dry_penalty_last_n", &P::dry_penalty_last_n, 0, 1 << 20, "a whole number from 0 to 1048576");
  add_number("xtc_probability", &P::xtc_probability, 0, 1, "a number from 0 to 1");
  add_number("xtc_threshold", &P::xtc_threshold, 0, 1, "a number from 0 to 1");
  add_number("mirostat", &P::mirostat, 0, 2, "0, 1 or 2");
  add_number("mirostat_tau", &P::mirostat_tau, 0, 1000, "a number from 0 to 1000");
  add_number("mirostat_eta", &P::mirostat_eta, 0, 1, "a number from 0 to 1");
  fields["strict_schema"] = flag("strict_schema", &P::strict_schema);
  fields["ignore_eos"] = flag("ignore_eos", &P::ignore_eos);
  fields["logprobs"] = flag("logprobs", &P::logprobs);
  fields["logit_bias"] = {read_logit_bias, write_logit_bias};
  fields["tool_choice"] = {read_tool_choice, write_tool_choice};
  fields["max_tokens"] = {[](P& params, const Json& value) -> Status {
                            if (value.is_null()) return params.max_tokens.reset(), Status();
                            if (!value.is_number_integer() || value < 1 || value > INT32_MAX) {
                              return wrong("max_tokens", "a whole number from 1 up", value);
                            }
                            params.max_tokens = value.get<int32_t>();
                            return {};
                          },
                          [](const P& params) { return params.max_tokens ? Json(*params.max_tokens) : Json(); }};
  fields["seed"] = {[](P& params, const Json& value) -> Status {
                      if (value.is_null()) return params.seed.reset(), Status();
                      if (!value.is_number_integer() || value < 0 || value >= UINT32_MAX) {
                        return wrong("seed", "a whole number from 0 to 4294967294", value);
                      }
                      params.seed = value.get<uint32_t>();
                      return {};
                    },
                    [](const P& params) { return params.seed ? Json(*params.seed) : Json(); }};
  fields["stop"] = {[](P& params, const Json& value) -> Status {
                      auto strings = read_strings("stop", value, false);
                      if (!strings.ok()) return strings.status();
                      params.stop = *std::move(strings);
                      return {};
                    },
                    [](const P& params) { return Json(params.stop); }};
  fields["dry_sequence_breakers"] = {
      [](P& params, const Json& value) -> Status {
        if (value.is_null()) return params.dry_sequence_breakers.reset(), Status();
        auto strings = read_strings("dry_sequence_breakers", value, true);
        if (!strings.ok()) return strings.status();
        params.dry_sequence_breakers = *std::move(strings);
        return {};
      },
      [](const P& params) { return params.dry_sequence_breakers ? Json(*params.dry_sequence_breakers) : Json(); }};
  fields["grammar"] = {[](P& params, const Json& value) -> Status {
                         if (value.is_null()) return params.grammar.clear(), Status();
                         if (!value.is_string()) return wrong("grammar", "GBNF text", value);
                         params.grammar = value.get<std::string>();
                         return {};
                       },
                       [](const P& params) { return params.grammar.empty() ? Json() : Json(params.grammar); }};
  fields["json_schema"] = {[](P& params, const Json& value) -> Status {
                             if (value.is_null()) return params.json_schema.reset(), Status();
                             if (!value.is_object() && !value.is_boolean()) {
                               return wrong("json_schema", "a JSON Schema", value);
                             }
                             params.json_schema = value;
                             return {};
                           },
                           [](const P& params) { return params.json_schema.value_or(Json()); }};
  return fields;
}

const std::map<std::string, Field, std::less<>>& fields() {
  static const auto table = make_fields();
  return table;
}

}  // namespace

Result<SamplingParams> parse_sampling_params(const Json& params) {
  if (!params.is_object()) {
    return Status(Code::kInvalidArgument, "params must be an object, got " + dump_json(params));
  }
  SamplingParams parsed;
  for (const auto& [key, value] : params.items()) {
    const auto field = fields().find(key);
    if (field == fields().end()) return Status(Code::kInvalidArgument, "unknown sampling parameter params." + key);
    if (Status status = field->second.read(parsed, value); !status.ok()) return status;
  }
  if (!parsed.grammar.empty() && parsed.json_schema) {
    return Status(Code::kInvalidArgument, "params.grammar and params.json_schema exclude each other");
  }
  return parsed;
}

Json sampling_params_json(const SamplingParams& params) {
  Json json = Json::object();
  for (const auto& [key, field] : fields()) {
    Json value = field.write(params);
    if (!value.is_null()) json[key] = std::move(value);
  }
  return json;
}

}  // namespace lh
