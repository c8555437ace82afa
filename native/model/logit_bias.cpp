#include "model/logit_bias.h"

namespace lh {
namespace {

bool is_bias(const Json& item) {
  if (!item.is_object() || !item.contains("token") || !item.contains("bias")) return false;
  const Json& token = item["token"];
  const Json& bias = item["bias"];
  return token.is_number_integer() && token >= 0 && token <= INT32_MAX && (bias.is_number() || bias.is_null());
}

}  // namespace

void read_logit_bias(ObjectReader& reader, const char* key, std::vector<LogitBias>& out) {
  constexpr std::string_view kExpected = R"(an array of {"token": id, "bias": number or null})";
  const Json* found = reader.value(key);
  if (found == nullptr) return;
  if (!found->is_array()) return reader.wrong(key, kExpected, *found);
  out.clear();
  for (const Json& item : *found) {
    if (!is_bias(item)) return reader.wrong(key, kExpected, item);
    const Json& bias = item["bias"];
    out.push_back({item["token"].get<int32_t>(), bias.is_null() ? std::nullopt : std::optional(bias.get<double>())});
  }
}

Json to_json(const std::vector<LogitBias>& list) {
  Json json = Json::array();
  for (const LogitBias& entry : list) {
    json.push_back({{"token", entry.token}, {"bias", entry.bias ? Json(*entry.bias) : Json()}});
  }
  return json;
}

}  // namespace lh
