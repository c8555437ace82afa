// The tool calls of one message: all are decided before one of them runs, they run at once, and their results come in
// the order of the calls. Every call gets exactly one.
// Must not: call a model, or keep a history.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "agent/permissions.h"
#include "agent/tool_invocation.h"
#include "agent/tool_limits.h"
#include "agent/tool_record.h"
#include "base/function_ref.h"
#include "generation/decision_log.h"
#include "generation/work.h"
#include "hooks/dispatcher.h"

namespace lh {

class ToolBatch {
 public:
  // All of it outlives the batch; `decisions` is given what hooks decided.
  ToolBatch(const Dispatcher& dispatcher, const Scope& scope, const Work& work, const AgentTools& tools,
            const Permissions& permissions, const SessionParams& params, ToolLimits& limits,
            std::vector<Decision>& decisions)
      : dispatcher_(dispatcher),
        scope_(scope),
        work_(work),
        tools_(tools),
        permissions_(permissions),
        params_(params),
        limits_(limits),
        decisions_(decisions) {}
  ToolBatch(const ToolBatch&) = delete;
  ToolBatch& operator=(const ToolBatch&) = delete;

  // What becomes of a completion, when all other calls of the message have ended. `records`: what these came to.
  struct Verdict {
    enum class Is { kAccepted, kRejected, kCancelled } is = Is::kAccepted;
    std::string why;
    std::string by;  // the hook that rejected it
  };
  using Verify = FunctionRef<Verdict(const std::string& summary, const std::vector<ToolRecord>& records)>;
  [[nodiscard]] std::vector<ToolRecord> run(const std::vector<ToolCall>& calls, Verify verify);
  // None of them runs; the model is told `why`. `by`: the hook that decided so, or empty.
  [[nodiscard]] std::vector<ToolRecord> refuse(const std::vector<ToolCall>& calls, ResultKind kind,
                                               const std::string& why, const std::string& by);

 private:
  // A call on its way to a result.
  struct Planned {
    ToolRecord record;
    std::string warning;                      // told beside the result
    std::unique_ptr<ToolInvocation> running;  // null: the result is there already, or it completes the run
    ToolInvocation::Answer answer;            // of what ran
    bool completes = false;
  };

  void decide(Planned& planned);
  // False: the call is refused, or a hook has answered in the tool's stead.
  [[nodiscard]] bool ask_hooks(Planned& planned);
  [[nodiscard]] bool validate(Planned& planned, const AgentTool& tool);
  [[nodiscard]] bool permitted(Planned& planned);
  [[nodiscard]] const AgentTool* find(const std::string& name) const;
  void start(Planned& planned);
  static void await(std::vector<Planned>& batch);
  void complete(Planned& planned, const std::vector<ToolRecord>& records, Verify verify, bool& completed);
  void finish(Planned& planned);
  void take_answer(Planned& planned);
  void ask_about_result(ToolRecord& record);
  void report(const ToolRecord& record, Code code, const std::string& message);
  [[nodiscard]] std::string capped(std::string text) const;
  [[nodiscard]] int64_t deadline_of(const AgentTool& tool) const;

  const Dispatcher& dispatcher_;
  const Scope& scope_;
  const Work& work_;
  const AgentTools& tools_;
  const Permissions& permissions_;
  const SessionParams& params_;
  ToolLimits& limits_;
  std::vector<Decision>& decisions_;
};
static_assert(!std::is_copy_constructible_v<ToolBatch>);

}  // namespace lh
