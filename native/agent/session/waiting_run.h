// A run that has ended because tool calls wait for an answer: all that it needs to continue, here or in another
// process.
// Must not: decide on a call, or run it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/setup/tool.h"
#include "base/json/fields.h"
#include "base/json/tags.h"
#include "base/status.h"
#include "model/conversation.h"

namespace lh {

// A call of the message whose calls wait.
struct WaitingCall {
  enum class State : uint8_t {
    kDeferred,  // it waits for an answer
    kApproved,  // it may run, and waits for the others
    kSettled,   // it has a result, and does not run
  };
  ToolCall call;                                   // as the model wrote it and hooks left it
  std::optional<Json> prepared = {};               // the arguments that were judged, if the tool's check changed them
  std::weak_ptr<const AgentTool> checked_by = {};  // the tool that checked them; not saved
  State state = State::kDeferred;
  std::string warning = {};  // goes to the model with the result
  // kDeferred, and kApproved by an answer:
  std::string deferred_by = {};  // name of a hook
  std::string waits_for = {};    // empty: not said
  std::string reason = {};       // empty: none

  // The arguments that were judged.
  [[nodiscard]] const Json& judged() const { return prepared ? *prepared : call.args; }
  // kSettled:
  std::string kind = {};  // name of the ResultKind
  std::string result = {};
  std::string decided_by = {};  // name of a hook; empty: none
  Status failure = {};          // to be reported at ON_ERROR

  template <typename Self, typename Fields>
  static void fields(Self& self, Fields& all) {
    all("id", self.call.id);
    all("name", self.call.name);
    all.object("args", self.call.args);
    all("state", self.state);
    all("warning", self.warning, Absent::kIfEmpty);
    all("deferred_by", self.deferred_by, Absent::kIfEmpty);
    all("waits_for", self.waits_for, Absent::kIfEmpty);
    all("reason", self.reason, Absent::kIfEmpty);
    all("kind", self.kind, Absent::kIfEmpty);
    all("result", self.result, Absent::kIfEmpty);
    all("decided_by", self.decided_by, Absent::kIfEmpty);
    all.object("prepared", self.prepared);
    all("failure", self.failure, Absent::kIfEmpty);
  }
};
[[nodiscard]] std::span<const std::string_view> names_of(WaitingCall::State state);

struct WaitingRun {
  std::string run_id;  // the first run of the chain that this one resumes
  std::string goal;
  std::string tier;
  Json params = Json::object();  // of the request
  std::optional<Json> answer = {};
  Tags tags = {};
  bool dry_run = false;
  // Counted so far:
  int32_t iterations = 0;
  int32_t rejections = 0;
  int32_t continuations = 0;
  int32_t failed_delegations = 0;
  int32_t planned_steps = 0;
  int32_t tokens = 0;            // of the limit of tokens a run
  Json limits = Json::object();  // as ToolLimits gives them
  // The message whose calls wait:
  std::string content = {};
  std::string reasoning = {};
  std::vector<WaitingCall> calls = {};
  std::vector<std::string> context = {};  // texts of hooks, said after the results
  // Read from a file, which can be edited: approvals in it must be asked for again.
  bool restored = false;

  template <typename Self, typename Fields>
  static void fields(Self& self, Fields& all) {
    all("run_id", self.run_id);
    all("goal", self.goal);
    all("tier", self.tier);
    all.object("params", self.params);
    all("answer", self.answer, Absent::kIfEmpty);
    all("tags", self.tags, Absent::kIfEmpty);
    all("dry_run", self.dry_run);
    all("iterations", self.iterations);
    all("rejections", self.rejections);
    all("continuations", self.continuations);
    all("failed_delegations", self.failed_delegations);
    all("planned_steps", self.planned_steps);
    all("tokens", self.tokens);
    all.object("limits", self.limits);
    all("content", self.content);
    all("reasoning", self.reasoning);
    all("calls", self.calls);
    all("context", self.context);
  }

  // Marks it as restored. Calls that an answer approved wait again.
  void ask_again();

  // The message, and a result for each call that says that it has not run yet.
  [[nodiscard]] Messages messages() const;
};

// The calls that wait, as engine.h describes them.
[[nodiscard]] Json waiting_calls(const WaitingRun& run);

// Checks a run that was read from a file. Errors: kSessionFileInvalid: two calls have one id, or none waits.
[[nodiscard]] Status check_waiting_run(const WaitingRun& run);

// An answer for a call that waits.
struct WaitingAnswer {
  enum class Kind : uint8_t { kAllow, kDeny, kCancel };
  Kind kind = Kind::kDeny;
  std::optional<Json> args = {};  // kAllow: in place of the call's arguments
  std::string reason = {};        // kDeny; empty: none
  std::string by = {};            // the answering person or program; empty: not named
};
using WaitingAnswers = std::map<std::string, WaitingAnswer>;  // by id of the call

// True if one of them cancels the run.
[[nodiscard]] bool cancels(const WaitingAnswers& answers);

// Errors: kInvalidArgument, naming the place, which begins with `what`.
[[nodiscard]] Result<WaitingAnswers> read_waiting_answers(const Json& json, const std::string& what);

}  // namespace lh
