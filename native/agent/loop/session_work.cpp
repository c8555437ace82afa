#include "agent/loop/session_work.h"

#include <utility>

#include "agent/compaction/compactor.h"
#include "agent/loop/agent_run.h"
#include "agent/run/run_trace.h"

namespace lh {

RunResult run_session(Session& session, const RunInput& input, const std::string& run_id, ModelUse model,
                      const Work& work) {
  Scope scope = session.run_scope(run_id, model, work);
  scope.owners.run = input.hooks;
  const auto waiting = input.resume.empty() ? std::nullopt : session.waiting();
  scope.tags = input.tags.over(waiting ? waiting->tags.over(scope.tags) : scope.tags);
  if (waiting) scope.resumes = waiting->run_id;
  scope.span = Trace::next_span();
  const Dispatcher& dispatcher = session.dispatcher();
  const Trace::Span span = begin_run(dispatcher.trace(), scope, {0, {}, work.asked});
  session.begin(scope, model);
  RunResult result = AgentRun(session, session.own(), dispatcher, std::move(model), scope, work, nullptr).run(input);
  end_run(dispatcher.trace(), span, scope, result);
  session.add_usage(result.usage);
  return result;
}

Result<Json> compact_session(Session& session, const CompactParams& how, const std::string& run_id, ModelUse model,
                             const Work& work, Refusal& refused) {
  Scope scope = session.run_scope(run_id, model, work);
  session.begin(scope, model);
  static const SessionParams kNoLimits;  // those of runs do not apply
  RunContext run(session, session.own(), session.dispatcher(), std::move(model), std::move(scope), work, nullptr,
                 &kNoLimits);
  const auto done = Compactor(run).compact(how);
  session.add_usage(run.result.usage);
  if (!done.ok()) {
    if (done.status().code() == Code::kHookCancelled) refused = run.result.decisions.back();
    return done.status();
  }
  if (work.cancel.cancelled()) return Status(work.cancel.why(), work.cancel.reason());
  run.commit();
  Json decisions = Json::array();
  for (const Decision& decision : run.result.decisions) decisions.push_back(to_json(decision));
  return Json{{"compacted", done->compacted}, {"tokens_before", done->before}, {"tokens_after", done->after},
              {"removed", done->removed},     {"summary", done->summary},      {"decisions", std::move(decisions)}};
}

}  // namespace lh
