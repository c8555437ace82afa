// The tool calls of one message: all are decided before one of them runs, they run at once, and their results come in
// the order of the calls. Every call gets exactly one.
// Must not: call a model, or keep a history.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "agent/run/run_context.h"
#include "agent/run/tool_record.h"
#include "agent/session/waiting_run.h"
#include "agent/tools/directive_handler.h"
#include "agent/tools/own_tools.h"
#include "agent/tools/permission_check.h"
#include "agent/tools/tool_invocation.h"

namespace lh {

class ToolBatch {
 public:
  // All outlive the batch.
  ToolBatch(RunContext& run, OwnTools& own_tools, DirectiveHandler& directives)
      : run_(run), own_tools_(own_tools), directives_(directives) {
    waiter_.line = run.asking;
  }
  ToolBatch(const ToolBatch&) = delete;
  ToolBatch& operator=(const ToolBatch&) = delete;

  // Call one of these two first: decide() decides on each call, in order; resume() continues with calls that waited.
  void decide(const std::vector<ToolCall>& calls);
  void resume(const WaitingRun& waiting, const WaitingAnswers& answers);
  // True: a call waits until somebody decides on it.
  [[nodiscard]] bool waits() const;
  // The calls as far as they are decided.
  [[nodiscard]] std::vector<WaitingCall> waiting() const;
  // None runs that may still run or waits.
  void cancel(const std::string& why);
  // If no call waits: tools run at once, exclusive ones then one by one; after them the control tools in the order of
  // the calls, `complete` last.
  [[nodiscard]] std::vector<ToolRecord> run();
  // The calls do not run; the model receives `why`. `by`: the hook that decided so, or empty.
  [[nodiscard]] std::vector<ToolRecord> refuse(const std::vector<ToolCall>& calls, ResultKind kind,
                                               const std::string& why, const std::string& by);

 private:
  // The result of a tool's check of the arguments.
  struct Checked {
    ToolInvocation::Answer answer;
    std::optional<ToolCall> prepared;  // with the arguments that the check returned; none: it changed nothing
  };
  // A call that does not have its result yet. Its record and the history keep the arguments as the model wrote them and
  // hooks left them; hooks, rules and the tool receive the arguments that the tool's check has prepared.
  struct Planned {
    ToolRecord record;
    std::optional<Checked> checked;             // none: the tool has no check, or it has not run
    std::weak_ptr<const AgentTool> checked_by;  // the tool whose check it was
    size_t index = 0;                           // of the message's calls
    std::string warning;                        // goes to the model with the result
    const AgentTool* named = nullptr;           // that is called; null: the name is unknown
    const AgentTool* tool = nullptr;            // that is to run; null: the result is there already
    std::unique_ptr<ToolInvocation> running;    // null: a tool of the engine, or none
    ToolInvocation::Answer answer;              // of what ran
    Trace::Span span{};                         // likewise
    std::string whole;                          // result, where it was shortened
    Status failure;                             // to be reported at ON_ERROR
    std::optional<HookPermission> asked;        // by hooks at PRE_TOOL_CALL
    std::optional<Deferral> deferral;
    std::optional<Deferral> answered;  // the call waited, and was allowed

    [[nodiscard]] const ToolCall& judged() const {
      return checked && checked->prepared ? *checked->prepared : record.call;
    }
  };

  void decide(Planned& planned);
  // Lets a waiting call run, unless rules, guards or the tool have changed and now refuse it. `answer` null: the call
  // was allowed before.
  void approve(Planned& planned, const WaitingCall& waited, const WaitingAnswer* answer, bool restored);
  static void refuse(ToolRecord& record, CallRefusal refusal);
  [[nodiscard]] bool is_possible(Planned& planned, const AgentTool* tool);
  void let_run(Planned& planned, const AgentTool& tool);
  using Asked = PointOutcome<points::PreToolCall>;
  [[nodiscard]] Asked fire_pre_tool_call(const Planned& planned, const DispatchExtras& extras);
  [[nodiscard]] static bool passed_hooks(Planned& planned, const Asked& outcome);
  [[nodiscard]] Asked ask_all_hooks(Planned& planned);
  // False: the call is refused, or a hook has answered in the tool's stead. `seen`: the arguments that guards saw, if
  // hooks changed the call.
  [[nodiscard]] bool ask_hooks(Planned& planned, std::optional<Json>& seen);
  [[nodiscard]] bool ask_guards(Planned& planned);
  // Calls the tool's check, if it has one, which may also prepare the arguments. False: the run was cancelled.
  [[nodiscard]] bool prepare(Planned& planned, const AgentTool* tool);
  void change_args(Planned& planned, Json args);
  enum class Tell { kAlways, kRefusals };
  [[nodiscard]] bool validate(Planned& planned, const AgentTool& tool, Tell tell = Tell::kAlways);
  [[nodiscard]] bool passes_critic(Planned& planned);
  void fire_validation(const ToolCall& call, const char* validator, const std::string& wrong);
  void fire_compaction_miss(const ToolCall& call);
  [[nodiscard]] static std::shared_ptr<const AgentTool> held(const AgentTools& tools, const std::string& name);
  [[nodiscard]] static const AgentTool* find(const AgentTools& tools, const std::string& name) {
    return held(tools, name).get();  // the tools hold it
  }
  void start(Planned& planned);
  // Starts the calls in their order, as many at once as the session allows, and takes each answer when it arrives.
  void run_at_once(const std::vector<Planned*>& calls);
  void tell_progress(const ToolCall& call, const CallProgress& progress);
  void run_own(Planned& planned, const std::vector<ToolRecord>& records);
  void finish(Planned& planned);
  void take_answer(Planned& planned);
  [[nodiscard]] bool keep_parts(Planned& planned);
  [[nodiscard]] bool ask_about_result(Planned& planned);
  void report(const ToolRecord& record, Code code, const std::string& message);
  // Returns the text; if it is too long, its beginning with a note, and `whole`, if not null, receives all of it.
  [[nodiscard]] std::string capped(std::string text, const std::string& call_id, std::string* whole) const;
  [[nodiscard]] int64_t deadline_of(const AgentTool& tool) const;

  RunContext& run_;
  OwnTools& own_tools_;
  DirectiveHandler& directives_;
  ToolInvocation::Waiter waiter_;
  std::vector<Planned> batch_;
};
static_assert(!std::is_copy_constructible_v<ToolBatch>);

}  // namespace lh
