// Renders the prompt of a render request, for the synchronous call and for the task.
#pragma once

#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/cancel.h"
#include "engine/tasks/requests.h"
#include "model/generator.h"

namespace lh {

// {"prompt"}. `cancel` may be null. Errors: INVALID_MESSAGES, TEMPLATE_FAILED; those of `cancel`.
Result<Json> render_prompt(const Generator& generator, const RenderRequest& request, const CancelFlag* cancel);

}  // namespace lh
