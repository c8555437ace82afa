// The adapters of a generation: the sampling parameter `adapters`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/object_reader.h"

namespace lh {

struct AdapterChoice {
  std::string id;
  std::optional<double> scale;  // none: the adapter's default
  bool operator==(const AdapterChoice&) const = default;
};

void read_adapter_choice(ObjectReader& reader, const char* key, std::vector<AdapterChoice>& out);
Json to_json(const std::vector<AdapterChoice>& list);

}  // namespace lh
