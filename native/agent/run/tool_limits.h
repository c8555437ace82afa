// Counts the tool calls of a run and refuses those past a limit; the refusal tells a model that it repeats itself.
// Must not: run tools, or know what hooks decide.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>

#include "agent/run/tool_record.h"
#include "agent/setup/session_parameters.h"

namespace lh {

class ToolLimits {
 public:
  // `above`: of the run that delegates to this one, which outlives it; null: none. Calls count there, too.
  ToolLimits(const SessionParams& params, ToolLimits* above) : params_(params), above_(above) {}

  struct Refusal {
    ResultKind kind;
    std::string told;  // to the model
  };
  // Why the call may not run, if so.
  [[nodiscard]] std::optional<Refusal> refusal(const ToolCall& call);
  // True if a call was refused because the maximum number of calls had run.
  [[nodiscard]] bool exceeded() const { return exceeded_; }
  // It runs.
  void count(const ToolCall& call);
  // Records the result of a call that was counted, as hooks left it.
  void ended(const ToolCall& call, const std::string& result);
  // The warning that the model gets beside the result of the call just counted; empty: none.
  [[nodiscard]] std::string warning(const ToolCall& call) const;

  // The counts, for a run that continues later. restore() leaves out what it cannot read.
  [[nodiscard]] Json to_json() const;
  void restore(const Json& json);

 private:
  struct Same {
    int32_t count = 0;
    std::optional<std::string> last;  // result; none while the first call runs
  };
  [[nodiscard]] bool all_used() const;

  const SessionParams& params_;
  ToolLimits* const above_;
  std::map<std::string, Same> same_;  // by call_key()
  std::string last_name_;
  int32_t in_a_row_ = 0;
  bool exceeded_ = false;
  std::atomic<int32_t> total_{0};  // runs that this one delegates to may count at once
};

}  // namespace lh
