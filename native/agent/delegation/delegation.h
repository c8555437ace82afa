// Delegates a task of a run to a tier: a child run with a separate conversation, which ends before this run continues.
// Must not: decide what the model sees besides the outcome.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "agent/delegation/child_runs.h"
#include "agent/run/run_context.h"
#include "agent/session/dialogue.h"
#include "agent/tools/own_tools.h"
#include "agent/tools/permission_check.h"

namespace lh {

class Delegation {
 public:
  // Both outlive it.
  Delegation(RunContext& run, ChildRuns& children) : run_(run), children_(children) {}
  Delegation(const Delegation&) = delete;
  Delegation& operator=(const Delegation&) = delete;

  // {"tier", "task", "resume"?}, as the control tool takes it. Fires ON_DELEGATE and ON_DELEGATE_COMPLETE.
  [[nodiscard]] OwnToolAnswer delegate(const Json& args, bool judged);
  // {"task", "stages": [{"tier", "task"?}]}: each stage gets what the one before has given. Stops at the first failure.
  [[nodiscard]] OwnToolAnswer pipeline(const Json& args);
  // A step of a plan; several at once, each on a separate thread: {tier, task}.
  [[nodiscard]] OwnToolAnswer step(const std::string& tier, const std::string& task);
  [[nodiscard]] std::vector<OwnToolAnswer> steps(const std::vector<std::pair<std::string, std::string>>& tasks);

  // Puts the tier that will do the task into the arguments of `delegate`: a conversation that they resume may have
  // become another one than it was begun with. Arguments that are wrong stay as they are.
  static void name_tier(const Session& session, Json& args);

 private:
  // A task on its way to an answer.
  struct Job {
    std::string tier;
    std::string task;
    std::string input;   // of its run: the task, or why it was sent back
    std::string resume;  // name of a conversation; empty: a new one
    std::string_view flow;
    OwnToolAnswer answer;
    std::string child;                   // name of its conversation; empty: there is none
    std::shared_ptr<Dialogue> dialogue;  // outlives `run`
    Scope scope;                         // of the run
    std::unique_ptr<ChildRun> run;       // null: refused
    std::shared_ptr<void> taken;         // the conversation, by this job
    bool judged = false;                 // by the rules, as it is
    bool changed = false;                // since, by hooks or because the conversation has become another tier
    bool ran = false;
    int32_t retries = 0;  // that hooks asked for
    RunResult result;     // of the run
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  };
  [[nodiscard]] OwnToolAnswer carry_out(Job job, bool named);
  void decide(Job& job);
  [[nodiscard]] std::string refusal(const Job& job, ResultKind& kind) const;
  [[nodiscard]] std::optional<CallRefusal> judge(const Job& job);
  [[nodiscard]] static Json args_of(const Job& job);
  void prepare(Job& job);
  void make_run(Job& job);
  void run(Job& job) const;
  void run_all(std::vector<Job>& jobs) const;
  [[nodiscard]] std::vector<std::string> tiers_above() const;
  void conclude(Job& job, bool named);
  void take_result(Job& job);
  using Completed = PointOutcome<points::OnDelegateComplete>;
  [[nodiscard]] Completed fire_complete(const Job& job);
  // True: the child has run again.
  [[nodiscard]] bool sent_back(Job& job, const Completed& outcome);
  void enter();
  void leave();

  RunContext& run_;
  ChildRuns& children_;
};
static_assert(!std::is_copy_constructible_v<Delegation>);

}  // namespace lh
