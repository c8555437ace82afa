// One run of a session: model calls and tool calls in turn, until the model answers or something ends it.
// Must not: outlive its session, or know the callers that wait for it.
#pragma once

#include <chrono>
#include <string>
#include <type_traits>

#include "agent/controls/controls.h"
#include "agent/controls/directives.h"
#include "agent/delegation/child_runs.h"
#include "agent/loop/run_input.h"
#include "agent/run/run_context.h"

namespace lh {

class ToolBatch;

class AgentRun final : private ChildRuns {
 public:
  // All of it outlives the run. `scope` has the ids of session, run and model, the tier and the depth. `above`: the run
  // that delegates to this one; null: the caller's, whose input is a user's message.
  AgentRun(Session& session, Dialogue& dialogue, const Dispatcher& dispatcher, ModelUse model, Scope scope,
           const Work& work, RunContext* above)
      : run_(session, dialogue, dispatcher, std::move(model), std::move(scope), work, above) {}
  AgentRun(const AgentRun&) = delete;
  AgentRun& operator=(const AgentRun&) = delete;

  // To the end, on this thread. Once.
  [[nodiscard]] RunResult run(const RunInput& input) &&;

 private:
  [[nodiscard]] std::unique_ptr<ChildRun> make_child(Dialogue& dialogue, ModelUse model, Scope scope) override;
  [[nodiscard]] bool take_input(const RunInput& input);
  [[nodiscard]] bool ask_about(QueuedMessage& message, bool queued);
  void hear(const QueuedMessage& message);
  [[nodiscard]] bool take_queued();
  [[nodiscard]] bool ended_well() const;
  [[nodiscard]] bool wait_while_paused();
  void begin_loop();
  void loop();
  [[nodiscard]] const char* reached() const;
  // False: this iteration was the last.
  [[nodiscard]] bool iterate();
  [[nodiscard]] bool prepare(ModelRequest& request, std::unique_ptr<Prompt>& prompt);
  [[nodiscard]] bool run_plan();
  [[nodiscard]] bool complete(const std::string& answer);
  [[nodiscard]] bool run_tools(const ModelAnswer& answer);
  void end_dry_run();
  void wait(const ToolBatch& batch, std::string content, std::string reasoning);
  void take_waiting(WaitingRun waiting, const RunInput& input);
  [[nodiscard]] bool go_on_with_calls();
  // Does what tools have asked for; false: the run ends.
  [[nodiscard]] bool serve_requests();
  // Tells the model that its answer or completion was rejected. False: the limit of rejections is reached.
  [[nodiscard]] bool send_back(std::string told);
  void say_pending_texts();
  [[nodiscard]] Status change_tier(const std::string& tier);
  [[nodiscard]] Status use_model(const std::string& id);
  [[nodiscard]] bool take_changes();
  void refuse_tools(const ModelAnswer& answer, ResultKind kind, const std::string& why, const std::string& by);
  void say(const ModelAnswer& answer, std::vector<ToolRecord> records);
  [[nodiscard]] bool end_of(bool goes_on);
  // True: the run continues.
  bool end_iteration(bool goes_on);
  [[nodiscard]] bool go_on_with(const std::string& told, const std::string& hook);
  void end_loop();
  [[nodiscard]] std::optional<std::string> reason() const;

  RunContext run_;
  Directives directives_{run_, *this};
  Controls controls_{run_, directives_, *this};
  std::string goal_;                   // the input, as hooks left it
  std::optional<Plan> plan_;           // that is to be carried out
  Tags own_tags_;                      // of the request
  std::optional<WaitingRun> waiting_;  // before its calls run, and after the run has ended because they wait
  WaitingAnswers answers_;             // for them
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int32_t rejections_ = 0;     // of completions and answers
  int32_t continuations_ = 0;  // that hooks have asked for
  size_t records_before_ = 0;  // tool records of earlier iterations
  bool in_iteration_ = false;
  const char* closing_ = nullptr;  // the limit, during the call that answers without tools
};
static_assert(!std::is_copy_constructible_v<AgentRun>);

}  // namespace lh
