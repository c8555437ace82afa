#include "engine/tasks/render_prompt.h"

namespace lh {

Result<Json> render_prompt(const Generator& generator, const RenderRequest& request, const CancelFlag* cancel) {
  PromptRequest wanted;
  wanted.messages = &request.messages;
  wanted.tools = &request.tools;
  wanted.add_generation_prompt = request.add_generation_prompt;
  wanted.continue_final_message = request.continue_final_message;
  wanted.only_text = true;
  wanted.cancel = cancel;
  const auto prompt = generator.prepare(wanted, request.params);
  if (!prompt.ok()) return prompt.status();
  return Json{{"prompt", (*prompt)->text()}};
}

}  // namespace lh
