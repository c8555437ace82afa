#include "agent/run/side_question.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/run/run_trace.h"
#include "agent/session/session.h"
#include "generation/answer_messages.h"

namespace lh {
namespace {

class Nobody final : public EventSink {
 public:
  [[nodiscard]] bool wanted() const override { return false; }
  void deliver(const Event& /*event*/, const EventOrigin* /*origin*/) override {}
};

}  // namespace

Result<SideAnswer> ask_side_question(RunContext& run, SideQuestion side) {
  side.said.push_back(user_message(std::move(side.question)));
  auto request = run.requests.build(side.said);
  if (!request.ok()) return request.status();
  request->is_aside = true;
  request->models = &run.session.models();
  request->params.tool_choice = ToolChoice::none();
  request->params.json_schema = std::move(side.json_schema);
  request->params.grammar.clear();
  request->params.stop.clear();
  request->params.ignore_eos = false;
  request->params.max_tokens = side.max_tokens;
  Nobody nobody;
  const Work work{run.work.cancel, run.work.closing, nobody, run.work.priority, run.work.tokens};
  ModelAnswer answer = call_model(run, *std::move(request), work);
  run.result.usage += answer.usage;
  std::ranges::move(answer.decisions, std::back_inserter(run.result.decisions));
  if (!answer.status.ok()) return answer.status;
  if (const auto& stop = answer.cancel ? answer.cancel : answer.halt) {
    const bool by_caller = run.work.cancel.cancelled() && stop->by == kCaller;
    return Status(by_caller ? run.work.cancel.why() : Code::kHookCancelled,
                  "it was stopped by " + stop->by + ": " + stop->reason);
  }
  if (run.budget->spent()) return Status(Code::kEmptyAnswer, "the run may generate no more tokens");
  if (answer.content.empty()) return Status(Code::kEmptyAnswer, "the model gave an empty answer");
  return SideAnswer{std::move(answer.content), answer.finish_reason == FinishReason::kLength};
}

}  // namespace lh
