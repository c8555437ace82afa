// The bias of single tokens: the sampling parameter `logit_bias`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/json/object_reader.h"

namespace lh {

struct LogitBias {
  int32_t token;
  std::optional<double> bias;  // none: the token is never sampled
};

void read_logit_bias(ObjectReader& reader, const char* key, std::vector<LogitBias>& out);
Json to_json(const std::vector<LogitBias>& list);

}  // namespace lh
