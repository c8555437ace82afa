// Which adapters a generation runs with: the sampling parameter `adapters`. Must not: know llama.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/object_reader.h"

namespace lh {

struct AdapterChoice {
  std::string id;
  std::optional<double> scale;  // none: the adapter's own
  bool operator==(const AdapterChoice&) const = default;
};

void read_adapter_choice(ObjectReader& reader, const char* key, std::vector<AdapterChoice>& out);
Json to_json(const std::vector<AdapterChoice>& list);

}  // namespace lh
