#include "model/adapter_choice.h"

#include <algorithm>
#include <cmath>

namespace lh {
namespace {

constexpr double kMostScale = 1000;

bool is_choice(const Json& item) {
  if (!item.is_object() || !item.contains("id") || !item["id"].is_string()) return false;
  const bool scaled = item.contains("scale");
  if (item.size() != (scaled ? 2u : 1u)) return false;
  return !scaled || (item["scale"].is_number() && std::abs(item["scale"].get<double>()) <= kMostScale);
}

}  // namespace

void read_adapter_choice(ObjectReader& reader, const char* key, std::vector<AdapterChoice>& out) {
  constexpr std::string_view kExpected =
      R"(an array of {"id": text, "scale": number from -1000 to 1000, or left out}, each id once)";
  const Json* found = reader.value(key);
  if (found == nullptr) return;
  if (!found->is_array()) return reader.wrong(key, kExpected, *found);
  out.clear();
  for (const Json& item : *found) {
    if (!is_choice(item)) return reader.wrong(key, kExpected, item);
    AdapterChoice choice{item["id"].get<std::string>(), std::nullopt};
    if (item.contains("scale")) choice.scale = item["scale"].get<double>();
    if (std::ranges::find(out, choice.id, &AdapterChoice::id) != out.end()) return reader.wrong(key, kExpected, *found);
    out.push_back(std::move(choice));
  }
}

Json to_json(const std::vector<AdapterChoice>& list) {
  Json json = Json::array();
  for (const AdapterChoice& choice : list) {
    Json entry = {{"id", choice.id}};
    if (choice.scale) entry["scale"] = *choice.scale;
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace lh
