// Explains why a prompt does not fit: which of its parts are large, and which limit can be raised.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "generation/model_request.h"
#include "model/generator.h"

namespace lh {

// Adds to `status`, which is kPromptTooLong, the parts of the prompt, which has `tokens`, and the model's maximum.
[[nodiscard]] Status explain_too_long(const Status& status, const Generator& generator, const ModelRequest& request,
                                      int64_t tokens);

}  // namespace lh
