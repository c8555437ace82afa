#include "agent/compaction/pruning.h"

#include <algorithm>
#include <utility>

#include "base/text/utf8.h"
#include "generation/answer_messages.h"

namespace lh {
namespace {

constexpr size_t kWorth = 64;  // bytes: for less a result is not taken away

}  // namespace

Result<PruneSelection> PruneSelection::read(const Json& params) {
  PruneSelection which;
  if (params.empty()) return Status(Code::kInvalidArgument, "params must have tool, ids or keep_last");
  ObjectReader reader(params, "params", ObjectReader::Null::kAbsent, Keys::kOfUser);
  if (reader.value("tool") != nullptr) reader.text("tool", which.tool.emplace());
  reader.texts("ids", which.ids, false);
  reader.integer("keep_last", which.keep_last, 0, INT32_MAX, "a whole number from 0 up");
  if (Status status = reader.done(); !status.ok()) return status;
  return which;
}

MessagePtr shortened_result(const RunContext& run, const Message& result, size_t kept) {
  std::string shown(first_characters(result.content, kept));
  if (!shown.empty()) shown += "\n";
  const int64_t tokens = run.model.generator->count(result.content, &run.work.cancel);
  shown += "[result of " + result.tool_name + ", " + std::to_string(tokens) + " tokens, shortened" +
           (run.can_inspect() ? "; context_inspect gives it back: " + result.tool_call_id : "") + "]";
  if (shown.size() + kWorth > result.content.size()) return nullptr;
  return with_content(result, std::move(shown));
}

int32_t prune(RunContext& run, const PruneSelection& which) {
  int32_t kept = 0;
  int32_t shortened = 0;
  Messages messages = run.transcript.messages();
  for (auto at = messages.rbegin(); at != messages.rend(); ++at) {
    const Message& message = **at;
    if (message.role != Role::kTool || run.dialogue.is_shortened(message.tool_call_id)) continue;
    if (which.tool && message.tool_name != *which.tool) continue;
    if (which.ids && std::ranges::find(*which.ids, message.tool_call_id.view()) == which.ids->end()) continue;
    if (kept++ < which.keep_last) continue;
    MessagePtr now = shortened_result(run, message, 0);
    if (now == nullptr) continue;
    run.dialogue.prune(message.tool_call_id, message.content, run.transcript.everything().size() + 1);
    *at = std::move(now);
    ++shortened;
  }
  if (shortened > 0) run.transcript.show(std::move(messages));
  return shortened;
}

}  // namespace lh
