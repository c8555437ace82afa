#include "generation/model_request.h"

namespace lh {

PromptRequest ModelRequest::prompt_request() const {
  PromptRequest request;
  if (raw) {
    request.raw = prompt;
    request.infill = infill ? &*infill : nullptr;
  } else {
    request.messages = &messages;
    request.tools = &tools;
  }
  return request;
}

}  // namespace lh
