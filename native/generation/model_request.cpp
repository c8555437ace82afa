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
  request.continue_final_message = continue_final_message;
  return request;
}

}  // namespace lh
