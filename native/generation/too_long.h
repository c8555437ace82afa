// Why a prompt does not fit, in words that help: which of its parts are large, and what can be raised.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "generation/model_request.h"
#include "model/generator.h"

namespace lh {

// `status`, which is kPromptTooLong, with the parts of the prompt, which has `tokens`, and with what the model can
// hold.
[[nodiscard]] Status explain_too_long(const Status& status, const Generator& generator, const ModelRequest& request,
                                      int64_t tokens);

}  // namespace lh
