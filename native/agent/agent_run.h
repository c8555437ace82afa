// One run of a session: model calls and tool calls in turn, until the model answers or something ends it.
// Must not: outlive its session, or know who waits for it.
#pragma once

#include <chrono>
#include <string>
#include <type_traits>

#include "agent/loop_state.h"
#include "agent/run_result.h"
#include "agent/tool_batch.h"
#include "agent/tool_limits.h"
#include "generation/model_source.h"
#include "generation/work.h"
#include "hooks/dispatcher.h"

namespace lh {

class Session;

struct RunInput {
  std::string content;
  std::optional<SamplingParams> params;  // none: the session's
};

class AgentRun {
 public:
  // All of it outlives the run. `scope` has the ids of session and run, the tier and the depth.
  AgentRun(Session& session, const Dispatcher& dispatcher, ModelUse model, Scope scope, const Work& work);
  AgentRun(const AgentRun&) = delete;
  AgentRun& operator=(const AgentRun&) = delete;

  // To the end, on this thread. Once.
  [[nodiscard]] RunResult run(const RunInput& input) &&;

 private:
  [[nodiscard]] bool take_input(std::string content);
  void begin_loop();
  void loop();
  void fail(Status status, const char* where);
  // False: this iteration was the last.
  [[nodiscard]] bool iterate();
  [[nodiscard]] bool assemble(ModelRequest& request);
  [[nodiscard]] bool run_tools(const ModelAnswer& answer);
  [[nodiscard]] ToolBatch::Verdict verify_completion(const std::string& summary,
                                                     const std::vector<ToolRecord>& records);
  [[nodiscard]] bool take_rejection(const std::string& why);
  void refuse_tools(const ModelAnswer& answer, ResultKind kind, const std::string& why, const std::string& by);
  void say(const ModelAnswer& answer, std::vector<ToolRecord> records);
  void commit();
  [[nodiscard]] ModelRequest request();
  void end_iteration(bool goes_on);
  void end_loop();
  void move_to(LoopState state);
  void cancelled();
  void halted(Stop stop);
  [[nodiscard]] std::optional<std::string> reason() const;
  [[nodiscard]] Scope closing_scope() const;

  Session& session_;
  const Dispatcher& dispatcher_;
  const ModelUse model_;
  const Work work_;
  ErrorStreak errors_;
  Scope scope_;
  SamplingParams params_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  ToolLimits limits_;
  LoopState state_ = LoopState::kIdle;
  Messages messages_;          // the conversation, with what this run has added
  int32_t rejections_ = 0;     // of completions
  size_t known_ = 0;           // of these, what was there before
  size_t records_before_ = 0;  // tool records of earlier iterations
  bool in_iteration_ = false;
  RunResult result_;
};
static_assert(!std::is_copy_constructible_v<AgentRun>);

}  // namespace lh
