#include "agent/controls/controls.h"

#include <algorithm>
#include <utility>

#include "agent/compaction/pruning.h"
#include "agent/delegation/delegation.h"
#include "agent/delegation/plan_runner.h"
#include "agent/session/session.h"
#include "base/text/utf8.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {
namespace {

Controls::Answer refused(const std::string& why) {
  return {ResultKind::kRejectedSchema, "invalid arguments: " + why, ""};
}

// Returns the whole text of a message that hooks, tools or the engine have added; nothing: none has that id.
std::optional<std::string> said_by_others(const Messages& messages, const std::string& id) {
  const auto found = std::ranges::find(messages, id, [](const MessagePtr& one) { return one->id.view(); });
  if (found == messages.end() || (*found)->origin == Origin::kUser) return std::nullopt;
  return (*found)->content;
}

}  // namespace

void Controls::complete_args(ControlTool tool, ToolCall& call) {
  if (tool == ControlTool::kDelegate) Delegation::name_tier(run_.session, call.args);
}

Controls::Answer Controls::carry_out(ControlTool tool, const ToolCall& call, const std::vector<ToolRecord>& records) {
  const Json& args = call.args;
  switch (tool) {
    case ControlTool::kComplete:
      return complete(run_.requests.wants_answer() ? dump_json(args["answer"]) : args["summary"].get<std::string>(),
                      records);
    case ControlTool::kDelegate: return Delegation(run_, children_).delegate(args, /*judged=*/true);
    case ControlTool::kPipeline: return Delegation(run_, children_).pipeline(args);
    case ControlTool::kPlan: return plan(args);
    case ControlTool::kTodo: return todo(args);
    case ControlTool::kPruneContext: return prune_context(args);
    case ControlTool::kPhaseChange: return change_phase(args["phase"].get<std::string>());
    case ControlTool::kContextInspect: return inspect(args);
  }
  return refused("the engine has no tool " + call.name);
}

Controls::Answer Controls::change_phase(const std::string& phase) {
  if (Status status = run_.ask_for_phase(phase); !status.ok()) return refused(status.message());
  return {ResultKind::kOk, "the phase is " + *run_.pending.phase, ""};
}

Controls::Answer Controls::complete(const std::string& summary, const std::vector<ToolRecord>& records) {
  if (run_.pending.accepted) return {ResultKind::kCancelled, "not run: completed already", ""};
  if (run_.state != LoopState::kVerifying) run_.move_to(LoopState::kVerifying);
  const auto outcome = run_.ask<points::OnComplete>([&](const auto& context) {
    Json results = Json::array();
    for (const auto* some : {&std::as_const(run_.result.tool_calls), &records}) {
      for (const ToolRecord& record : *some) {
        results.push_back({{"name", record.call.name}, {"content", record.result}});
      }
    }
    context({.summary = summary, .tier = run_.scope.tier, .iteration = run_.scope.iteration, .tool_results = results});
  });
  if (const auto veto = outcome.veto()) {
    run_.pending.rejected = veto->reason;
    return {ResultKind::kRejectedHook, "rejected: " + veto->reason, veto->by};
  }
  if (outcome.cancelled()) return {ResultKind::kCancelled, "not run: " + outcome.reason(), ""};
  run_.pending.accepted = summary;
  return {ResultKind::kOk, "completed", ""};
}

Controls::Answer Controls::plan(const Json& args) {
  auto read = read_plan(args, "plan");
  if (!read.ok()) return refused(read.status().message());
  return PlanRunner(run_, *this, directives_, children_).run(*std::move(read), run_.pending.records);
}

Controls::Answer Controls::todo(const Json& args) {
  run_.dialogue.set_todos(args["todos"]);
  std::string list;
  for (const Json& item : args["todos"]) {
    const std::string status = item["status"].get<std::string>();
    list += list.empty() ? "" : "\n";
    list += status == "completed" ? "[x] " : status == "in_progress" ? "[>] " : "[ ] ";
    list += item["content"].get<std::string>();
  }
  return {ResultKind::kOk, list.empty() ? "the list is empty" : list, ""};
}

Controls::Answer Controls::prune_context(const Json& args) {
  const auto which = PruneSelection::read(args);
  if (!which.ok()) return refused(which.status().message());
  return {ResultKind::kOk, "results shortened: " + std::to_string(prune(run_, *which)), ""};
}

Controls::Answer Controls::inspect(const Json& args) const {
  const std::string& id = args["id"].get_ref<const std::string&>();
  auto text = run_.dialogue.original(id);
  if (!text) text = said_by_others(run_.transcript.everything(), id);
  if (!text) return refused("/id nothing is kept of the call " + id);
  const auto offset = args.value("offset", Json(0)).get<size_t>();
  if (offset > text->size()) return refused("/offset the result has " + std::to_string(text->size()) + " bytes");
  std::string_view rest = std::string_view(*text).substr(offset);
  constexpr size_t kNote = 64;
  const std::string_view shown = first_characters(rest, run_.max_result() - kNote);
  std::string told(shown);
  if (shown.size() < rest.size()) told += "\n[it goes on at the offset " + std::to_string(offset + shown.size()) + "]";
  return {ResultKind::kOk, std::move(told), ""};
}

}  // namespace lh
