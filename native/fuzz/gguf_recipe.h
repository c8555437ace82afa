// A model file described in JSON, so that a change of the description is again a file that can be read:
// {"kv": [[key, type, value], ...], "tensors": [[name, type, [dimensions]], ...], "cut": bytes less}.
// One element of an array may describe many: {"bytes": true} for the 256 byte tokens of a vocabulary, {"letters": true}
// for the 256 of a byte-level one, {"repeat": value, "times": n}, {"count": "prefix", "times": n}.
#pragma once

#include <string>

#include "base/json/json.h"

namespace lh::fuzz {

// The bytes of the file. Parts that are not a description are left out. At most a few megabytes.
[[nodiscard]] std::string write_gguf(const Json& recipe);

}  // namespace lh::fuzz
