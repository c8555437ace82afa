#include "agent/pruning.h"

#include <algorithm>

#include "generation/answer_messages.h"

namespace lh {

Result<Pruned> Pruned::read(const Json& params) {
  Pruned which;
  if (params.empty()) return Status(Code::kInvalidArgument, "params must have tool, ids or keep_last");
  ObjectReader reader(params, "params");
  reader.text("tool", which.tool);
  reader.texts("ids", which.ids, false);
  reader.whole("keep_last", which.keep_last, 0, INT32_MAX, "a whole number from 0 up");
  if (Status status = reader.done(); !status.ok()) return status;
  return which;
}

int32_t prune(RunFrame& run, const Pruned& which) {
  int32_t kept = 0;
  int32_t shortened = 0;
  for (auto at = run.messages.rbegin(); at != run.messages.rend(); ++at) {
    const Message& message = **at;
    if (message.role != Role::kTool || run.dialogue.is_shortened(message.tool_call_id)) continue;
    if (!which.tool.empty() && message.tool_name != which.tool) continue;
    if (!which.ids.empty() && std::ranges::find(which.ids, message.tool_call_id) == which.ids.end()) continue;
    if (kept++ < which.keep_last) continue;
    const size_t tokens = run.model.generator->tokenize(message.content, false, false).size();
    run.dialogue.shorten(message.tool_call_id, message.content);
    *at = result_message({message.tool_call_id, message.tool_name,
                          "[result of " + message.tool_name + ", " + std::to_string(tokens) +
                              " tokens, shortened; context_inspect gives it back: " + message.tool_call_id + "]"});
    ++shortened;
  }
  return shortened;
}

}  // namespace lh
