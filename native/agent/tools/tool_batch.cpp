#include "agent/tools/tool_batch.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <utility>

#include "agent/run/context_assembly.h"
#include "agent/run/reflection.h"
#include "agent/run/run_trace.h"
#include "agent/session/session.h"
#include "agent/tools/permission_check.h"
#include "base/text/reason.h"
#include "generation/decision_log.h"
#include "hooks/points/value_check.h"

namespace lh {
namespace {

std::string call_json(const ToolCall& call) {
  return dump_json({{"tool_call_id", call.id}, {"tool_name", call.name}, {"args", call.args}});
}

// True if hooks may still replace the arguments while the tool runs.
bool passes_more_hooks(const AgentTool* tool) {
  if (tool == nullptr || tool->run() != nullptr) return false;
  return tool->name() == "delegate" || tool->name() == "pipeline" || tool->name() == "plan";
}

}  // namespace

std::vector<ToolRecord> ToolBatch::run(const std::vector<ToolCall>& calls) {
  std::vector<Planned> batch(calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    batch[i].record.call = calls[i];
    batch[i].index = i;
    decide(batch[i]);
  }
  waiter_.progress = [&](const ToolInvocation& of, const CallProgress& progress) {
    const auto planned = std::ranges::find(batch, &of, [](const Planned& one) { return one.running.get(); });
    tell_progress(planned->record.call, progress);
  };
  std::vector<Planned*> at_once;
  std::vector<Planned*> alone;
  for (Planned& planned : batch) {
    if (planned.running) (planned.tool->exclusive() ? alone : at_once).push_back(&planned);
  }
  run_at_once(at_once);
  for (Planned* const planned : alone) run_at_once({planned});
  enum class Round { kTool, kControl, kComplete };
  const auto turn_of = [](const Planned& planned) {
    if (planned.tool == nullptr || planned.tool->run() != nullptr) return Round::kTool;
    return planned.tool->name() == "complete" ? Round::kComplete : Round::kControl;
  };
  std::vector<ToolRecord> ended;
  for (const Round turn : {Round::kTool, Round::kControl, Round::kComplete}) {
    for (Planned& planned : batch) {
      if (turn_of(planned) != turn) continue;
      if (turn != Round::kTool) run_own(planned, ended);
      finish(planned);
      ended.push_back(planned.record);
    }
  }
  std::vector<ToolRecord> records;
  for (Planned& planned : batch) records.push_back(std::move(planned.record));
  return records;
}

void ToolBatch::run_at_once(const std::vector<Planned*>& calls) {
  std::vector<Planned*> under_way;
  auto next = calls.begin();
  const auto most = static_cast<size_t>(run_.setup.max_parallel_tools.value_or(std::numeric_limits<int32_t>::max()));
  const auto take = [](Planned* planned) {
    if (!planned->running->over()) return false;
    planned->answer = planned->running->wait();
    return true;
  };
  while (true) {
    for (; next != calls.end() && under_way.size() < most; ++next) {
      start(**next);
      if ((*next)->running) under_way.push_back(*next);
    }
    if (std::erase_if(under_way, take) > 0 && next != calls.end()) continue;
    if (under_way.empty()) return;
    auto until = std::chrono::steady_clock::time_point::max();
    for (Planned* const planned : under_way) {
      until = std::min({until, planned->running->tell_progress(), planned->running->due()});
    }
    waiter_.bell.wait(until, run_.work.cancel);
  }
}

void ToolBatch::tell_progress(const ToolCall& call, const CallProgress& progress) {
  if (!run_.work.events.wanted()) return;
  run_.work.events.emit(ToolProgressEvent{call.id, call.name, progress.done, progress.total, progress.message});
}

void ToolBatch::start(Planned& planned) {
  const Work& work = run_.work;
  if (work.cancel.cancelled()) {
    planned.running.reset();
    return settle(planned.record, ResultKind::kCancelled, "not run: " + work.cancel.reason());
  }
  if (work.events.wanted()) work.events.emit(ToolCallEvent{planned.record.call});
  planned.span = begin_tool(run_, planned.record.call);
  planned.running->start();
}

void ToolBatch::run_own(Planned& planned, const std::vector<ToolRecord>& records) {
  ToolRecord& record = planned.record;
  const Work& work = run_.work;
  if (work.cancel.cancelled()) {
    return settle(record, ResultKind::kCancelled, "not run: " + work.cancel.reason());
  }
  if (work.events.wanted()) work.events.emit(ToolCallEvent{record.call});
  const Trace::Span span = begin_tool(run_, record.call);
  run_.transcript.begin_own(planned.index, record.call);
  OwnToolAnswer answer = own_tools_.carry_out(record.call, records);
  const auto ended = std::chrono::steady_clock::now();
  record.elapsed_ms = std::chrono::duration<double, std::milli>(ended - span.began).count();
  if (answer.args) record.call.args = *std::move(answer.args);
  settle(record, answer.kind, std::move(answer.text), std::move(answer.by));
  end_tool(run_, span, record, ended);
}

std::vector<ToolRecord> ToolBatch::refuse(const std::vector<ToolCall>& calls, ResultKind kind, const std::string& why,
                                          const std::string& by) {
  std::vector<ToolRecord> records;
  for (size_t i = 0; i < calls.size(); ++i) run_.transcript.show_call(i, calls[i], nullptr);
  const auto profile = run_.dialogue.profile();
  for (const ToolCall& call : calls) {
    Planned planned;
    planned.named = find(profile->tools, call.name);
    planned.index = records.size();
    planned.record.call = call;
    settle(planned.record, kind, why, by);
    finish(planned);
    records.push_back(std::move(planned.record));
  }
  return records;
}

void ToolBatch::decide(Planned& planned) {
  ToolRecord& record = planned.record;
  if (run_.work.cancel.cancelled())
    return settle(record, ResultKind::kCancelled, "not run: " + run_.work.cancel.reason());
  const auto profile = run_.dialogue.profile();
  // Before the hooks and after them: they and the rules judge the tier that will run.
  const auto resolve = [&] {
    const AgentTool* const tool = find(profile->tools, record.call.name);
    if (tool != nullptr && tool->run() == nullptr) own_tools_.complete_args(record.call);
    return tool;
  };
  planned.named = resolve();
  if (!ask_hooks(planned)) return run_.transcript.show_call(planned.index, record.call, nullptr);
  const AgentTool* const tool = planned.named = resolve();
  if (!passes_more_hooks(tool)) run_.transcript.show_call(planned.index, record.call, nullptr);
  if (tool == nullptr) {
    std::string names;
    for (const auto& one : profile->tools) names += (names.empty() ? "" : ", ") + one->name();
    return settle(record, ResultKind::kRejectedSchema,
                  "unknown tool " + record.call.name + "; there are: " + (names.empty() ? "none" : names));
  }
  const bool is_own = tool->run() == nullptr;
  const bool completes = is_own && record.call.name == "complete";
  const bool plans = is_own && record.call.name == "plan";
  if (run_.transcript.in_plan() && (completes || plans)) {
    return settle(record, ResultKind::kRejectedSchema, record.call.name + " cannot be a step of a plan");
  }
  if (!validate(planned, *tool)) return;
  ToolLimits& limits = run_.limits;
  if (!completes) {  // its limit is that of rejections
    if (auto refusal = limits.refusal(record.call)) return settle(record, refusal->kind, std::move(refusal->told));
  }
  if (auto refusal = check_permission(run_, record.call, tool)) {
    return settle(record, refusal->kind, std::move(refusal->told), std::move(refusal->by));
  }
  if (!completes) {
    limits.count(record.call);
    planned.warning = limits.warning(record.call);
  }
  fire_compaction_miss(record.call);
  if (run_.dry && !completes && !plans) {
    ++run_.planned_steps;
    return settle_answer(record, "dry run: " + record.call.name + " was not run");
  }
  planned.tool = tool;
  if (tool->run() == nullptr) return;
  planned.running = std::make_unique<ToolInvocation>(*tool, ToolInvocation::What::kRun, call_json(record.call),
                                                     run_.work.cancel, deadline_of(*tool), &waiter_);
}

bool ToolBatch::ask_hooks(Planned& planned) {
  ToolRecord& record = planned.record;
  const Outcome outcome =
      run_.dispatcher.fire(LH_HOOK_PRE_TOOL_CALL, run_.scope, tool_name(record.call), [&](std::string& out) {
        append_members(out, {{"tool_name", record.call.name},
                             {"args", record.call.args},
                             {"tool_call_id", record.call.id},
                             {"tier", null_if_empty(run_.scope.tier)},
                             {"iteration", run_.scope.iteration}});
        out += ',' + AgentTool::members_about(planned.named);
      });
  keep(run_.result.decisions, outcome->decision);
  const Decision& decision = outcome->decision;
  if (decision.action == Action::kCancelled) {
    const std::string reason = decision.reason.value_or("");
    if (decision.decided_by) {
      const std::string& by = decision.decided_by->name;
      settle(record, ResultKind::kRejectedHook, "blocked by " + by + ": " + reason, by);
    } else {
      settle(record, ResultKind::kCancelled, "not run: " + reason);
    }
    return false;
  }
  std::ranges::move(additional_context(*outcome), std::back_inserter(run_.pending.messages));
  const Json& changes = outcome->changes;
  if (changes.contains("tool_name")) record.call.name = changes["tool_name"].get<std::string>();
  if (changes.contains("args")) record.call.args = changes["args"];
  if (!outcome->answers.contains("response")) return true;
  settle_answer(record, outcome->answers["response"].get<std::string>(), named_by(decision, "response")->name);
  if (run_.work.events.wanted()) run_.work.events.emit(ToolCallEvent{record.call});
  return false;
}

bool ToolBatch::validate(Planned& planned, const AgentTool& tool) {
  ToolRecord& record = planned.record;
  std::string wrong;
  if (tool.check() != nullptr) {
    ToolInvocation check(tool, ToolInvocation::What::kCheck, call_json(record.call), run_.work.cancel,
                         run_.setup.tool_deadline_ms);
    check.start();
    ToolInvocation::Answer answer = check.wait();
    if (answer.end == ToolInvocation::End::kCancelled) {
      settle(record, ResultKind::kCancelled, "not run: " + answer.text);
      return false;
    }
    if (answer.end != ToolInvocation::End::kAnswered) {
      const std::string why = "the check of the arguments failed: " + answer.text;
      planned.failure = {answer.end == ToolInvocation::End::kTimedOut ? Code::kToolTimeout : Code::kToolFailed, why};
      record.cause_id = answer.cause_id;
      settle(record, ResultKind::kError, "error: " + why);
      return false;
    }
    if (answer.is_error) wrong = answer.text.empty() ? "refused by the tool" : answer.text;
  } else if (run_.requests.takes_answer(tool)) {  // hooks at ON_COMPLETE judge it by the caller's schema
    if (!record.call.args.contains("answer")) wrong = "answer missing";
  } else if (const auto offence = check_value(record.call.args, tool.shown()->parameters)) {
    wrong = (offence->path.empty() ? "" : offence->path + " ") + offence->why;
  }
  fire_validation(record.call, "schema", wrong);
  if (!wrong.empty()) {
    settle(record, ResultKind::kRejectedSchema, "invalid arguments: " + wrong);
    return false;
  }
  return run_.setup.critic_prompt.empty() || passes_critic(planned);
}

// False: it is refused.
bool ToolBatch::passes_critic(Planned& planned) {
  ToolRecord& record = planned.record;
  const auto judged = criticize(run_, record.call);
  if (run_.work.cancel.cancelled()) {
    settle(record, ResultKind::kCancelled, "not run: " + run_.work.cancel.reason());
    return false;
  }
  if (!judged.ok()) {
    const std::string why = "the critic failed: " + judged.status().message();
    planned.failure = {judged.status().code(), why};
    settle(record, ResultKind::kError, "error: " + why);
    return false;
  }
  const std::string wrong = *judged ? reason_or(**judged) : "";
  fire_validation(record.call, "critic", wrong);
  if (wrong.empty()) return true;
  settle(record, ResultKind::kRejectedSchema, "rejected by the critic: " + wrong);
  return false;
}

void ToolBatch::fire_validation(const ToolCall& call, const char* validator, const std::string& wrong) {
  static_cast<void>(
      run_.dispatcher.fire(LH_HOOK_ON_TOOL_VALIDATION, run_.scope, tool_name(call), [&](std::string& out) {
        append_members(out, {{"tool_name", call.name},
                             {"args", call.args},
                             {"validator", validator},
                             {"allowed", wrong.empty()},
                             {"reason", null_if_empty(wrong)}});
      }));
}

// A call that asks again for what compaction has taken: next time more of it is kept.
void ToolBatch::fire_compaction_miss(const ToolCall& call) {
  CompactionMemory& memory = run_.dialogue.compactions();
  const auto lost = memory.take(call);
  if (!lost) return;
  const int32_t boost = memory.raise_boost(call.name);
  static_cast<void>(
      run_.dispatcher.fire(LH_HOOK_ON_COMPACTION_MISS, run_.scope, tool_name(call), [&](std::string& out) {
        append_members(out, {{"tool_name", call.name},
                             {"original_size", lost->original},
                             {"compressed_size", lost->compressed},
                             {"boost", boost}});
      }));
}

const AgentTool* ToolBatch::find(const AgentTools& tools, const std::string& name) {
  const auto found = std::ranges::find(tools, name, [](const auto& tool) { return tool->name(); });
  return found == tools.end() ? nullptr : found->get();
}

int64_t ToolBatch::deadline_of(const AgentTool& tool) const {
  return tool.deadline_ms() < 0 ? run_.setup.tool_deadline_ms : tool.deadline_ms();
}

}  // namespace lh
