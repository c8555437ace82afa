#include "agent/tools/tool_batch.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "agent/run/run_trace.h"

namespace lh {
std::vector<ToolRecord> ToolBatch::run() {
  waiter_.progress = [this](const ToolInvocation& of, const CallProgress& progress) {
    const auto planned = std::ranges::find(batch_, &of, [](const Planned& one) { return one.running.get(); });
    tell_progress(planned->record.call, progress);
  };
  waiter_.fault = [this](const ToolInvocation& of, const CallFault& fault) {
    const auto planned = std::ranges::find(batch_, &of, [](const Planned& one) { return one.running.get(); });
    run_.dispatcher.error(run_.scope, fault.code, fault.message, "tool:" + planned->record.call.name, true);
  };
  std::vector<Planned*> at_once;
  std::vector<Planned*> alone;
  for (Planned& planned : batch_) {
    if (planned.running) (planned.tool->exclusive() ? alone : at_once).push_back(&planned);
  }
  run_at_once(at_once);
  for (Planned* const planned : alone) run_at_once({planned});
  enum class Round { kTool, kControl, kComplete };
  const auto turn_of = [](const Planned& planned) {
    if (planned.tool == nullptr || planned.tool->control() == nullptr) return Round::kTool;
    return planned.tool->ends_run() ? Round::kComplete : Round::kControl;
  };
  std::vector<ToolRecord> ended;
  for (const Round turn : {Round::kTool, Round::kControl, Round::kComplete}) {
    for (Planned& planned : batch_) {
      if (turn_of(planned) != turn) continue;
      if (turn != Round::kTool) run_own(planned, ended);
      finish(planned);
      ended.push_back(planned.record);
    }
  }
  std::vector<ToolRecord> records;
  for (Planned& planned : batch_) records.push_back(std::move(planned.record));
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
  if (run_.pending.stop && planned.tool->ends_run()) {
    return settle(record, ResultKind::kCancelled, "not run: " + run_.pending.stop->reason);
  }
  if (work.events.wanted()) work.events.emit(ToolCallEvent{record.call});
  const Trace::Span span = begin_tool(run_, record.call);
  run_.transcript.begin_own(planned.index, record.call);
  OwnToolAnswer answer;
  {
    const InActivity inside(run_.scope, span.number, record.call.id);
    answer = own_tools_.carry_out(planned.tool->control()->tool, record.call, records);
  }
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

}  // namespace lh
