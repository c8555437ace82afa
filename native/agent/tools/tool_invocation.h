// One callback of a tool, called and waited for: the tool itself, or its check of arguments. Several may be under way.
// Must not: judge what the callback gave.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "agent/setup/tool.h"
#include "base/threads/cancel.h"
#include "hooks/calls/call.h"

namespace lh {

class ToolInvocation {
 public:
  enum class End {
    kAnswered,
    kFailed,  // it threw, or what it gave is no text
    kTimedOut,
    kCancelled,  // the run was, before the answer came
  };
  struct Answer {
    End end = End::kAnswered;
    bool is_error = false;  // answered: the tool says that it failed
    std::string text;       // UTF-8; of the tool, or why there is none
    double elapsed_ms = 0;
    Json directives;        // an array of {"type", "params"}, or null; also of a tool that did not answer
    uint64_t cause_id = 0;  // failed: a binding's number for what it threw
    Json parts = {};        // answered: an array, or null
    bool worded = false;    // answered, with an error: the text is all that the model is told
  };
  enum class What { kRun, kCheck };

  // `tool` and `cancel` outlive the invocation.
  ToolInvocation(const AgentTool& tool, What what, std::string call_json, CancelFlag& cancel, int64_t deadline_ms)
      : tool_(tool), what_(what), json_(std::move(call_json)), cancel_(cancel), deadline_ms_(deadline_ms) {}
  ~ToolInvocation();  // gives up what is under way
  ToolInvocation(const ToolInvocation&) = delete;
  ToolInvocation& operator=(const ToolInvocation&) = delete;

  // Calls the callback, on this thread. One that answers later (lh_call_defer) is under way when this returns.
  void start();
  // After start(): when that was.
  [[nodiscard]] std::chrono::steady_clock::time_point began() const { return start_; }
  // After start(): when its deadline is.
  [[nodiscard]] std::chrono::steady_clock::time_point due() const;
  // Once, after start(): returns when there is an answer, or will be none.
  [[nodiscard]] Answer wait();

 private:
  using Clock = std::chrono::steady_clock;
  void call_back(Call& call);
  // The call is over: what the tool has asked for is there, however it ended.
  void close();
  [[nodiscard]] Answer read(int returned, char* block) const;
  [[nodiscard]] Answer failed(const HookFailure& failure) const;
  [[nodiscard]] Answer later_answer(Code end, Pending::Answer* given) const;

  const AgentTool& tool_;
  const What what_;
  const std::string json_;
  CancelFlag& cancel_;
  const int64_t deadline_ms_;
  Clock::time_point start_;
  std::optional<Call> call_;  // while it is under way
  Answer answer_;
};
static_assert(!std::is_copy_constructible_v<ToolInvocation>);

}  // namespace lh
