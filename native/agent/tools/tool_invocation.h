// One callback of a tool, called and waited for: the tool itself, or its check of arguments. Several may be under way.
// Must not: judge what the callback gave.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "agent/setup/tool.h"
#include "base/threads/cancel.h"
#include "base/threads/mutex.h"
#include "hooks/calls/call.h"

namespace lh {

class ToolInvocation final : private ToolListener {
 public:
  enum class End {
    kAnswered,
    kFailed,  // it threw, or its result is not a text
    kTimedOut,
    kCancelled,  // the run was, before the answer came
    kNotBegun,   // the run was cancelled before the work began
  };
  struct Answer {
    End end = End::kAnswered;
    bool is_error = false;  // answered: the tool says that it failed
    std::string text;       // UTF-8; the text of the tool, or the reason why it gave none
    double elapsed_ms = 0;
    Json directives;        // an array of {"type", "params"}, or null; also of a tool that did not answer
    uint64_t cause_id = 0;  // failed: the number that a binding gave to the thrown value
    Json parts = {};        // answered: an array, or null
    bool worded = false;    // answered, with an error: the text is all that the model receives
  };
  enum class What { kRun, kCheck };

  // One thread that waits for several invocations.
  struct Waiter {
    Bell bell;  // rings when one of them is over, or has progress to report
    // Receives the progress, on the thread that started the invocation.
    std::function<void(const ToolInvocation& of, const CallProgress& progress)> progress;
    std::function<void(const ToolInvocation& of, const CallFault& fault)> fault;
    std::shared_ptr<AskingLine> line;
  };

  // `tool` and `cancel` outlive the invocation, and so does `waiter`; null: the callback can tell and ask nothing.
  // `ask` has a question for the user answered.
  ToolInvocation(const AgentTool& tool, What what, std::string call_json, CancelFlag& cancel, int64_t deadline_ms,
                 Waiter* waiter = nullptr, UserQuestions::Ask ask = {})
      : tool_(tool),
        what_(what),
        json_(std::move(call_json)),
        cancel_(cancel),
        deadline_ms_(deadline_ms),
        waiter_(waiter),
        ask_(std::move(ask)) {}
  ~ToolInvocation() override;  // gives up what is under way
  ToolInvocation(const ToolInvocation&) = delete;
  ToolInvocation& operator=(const ToolInvocation&) = delete;

  // Calls the callback, on this thread. One that answers later (lh_call_defer) is under way when this returns.
  void start();
  // After start(): when that was.
  [[nodiscard]] std::chrono::steady_clock::time_point began() const { return start_; }
  // After start(): when its deadline is, counted from the last progress or the last answer of the user; max: it waits
  // for one.
  [[nodiscard]] std::chrono::steady_clock::time_point due() const;
  // After start(): true if wait() returns at once.
  [[nodiscard]] bool over() const;
  // Reports failures to the waiter, and the newest progress if that is not reported yet and it is time. Returns the
  // time of the next report; max: all progress is reported.
  std::chrono::steady_clock::time_point tell_progress() { return tell_progress(kProgressPause); }
  // Once, after start(): returns when the answer arrives, or cannot arrive any more.
  [[nodiscard]] Answer wait();

 private:
  using Clock = std::chrono::steady_clock;
  // The pause between two reports of progress.
  static constexpr std::chrono::milliseconds kProgressPause{50};
  void take(CallProgress progress) override;
  void pass_on() override { static_cast<void>(tell_progress()); }
  void take(CallFault fault) override;
  Result<std::shared_ptr<UserQuestion>> question(UserRequest request) override;
  Clock::time_point tell_progress(std::chrono::milliseconds pause);
  // The time from which the deadline counts; max: it does not count yet.
  [[nodiscard]] Clock::time_point renewed() const LH_EXCLUDES(mutex_);
  [[nodiscard]] Clock::time_point renewed_now() const LH_REQUIRES(mutex_);
  [[nodiscard]] Clock::time_point due_from(Clock::time_point start) const;
  void call_back(Call& call);
  // Ends the call: collects the tool's requests, after an end of any kind.
  void close();
  [[nodiscard]] Answer read(int returned, char* block) const;
  [[nodiscard]] Answer failed(const HookFailure& failure) const;
  [[nodiscard]] Answer later_answer(Code end, Pending::Answer* given) const;

  const AgentTool& tool_;
  const What what_;
  const std::string json_;
  CancelFlag& cancel_;
  const int64_t deadline_ms_;
  Waiter* const waiter_;
  const UserQuestions::Ask ask_;
  mutable Mutex mutex_;
  std::optional<CallProgress> untold_ LH_GUARDED_BY(mutex_);
  std::optional<Clock::time_point> renewed_ LH_GUARDED_BY(mutex_);  // by progress
  std::vector<CallFault> faults_ LH_GUARDED_BY(mutex_);             // not reported to the waiter yet
  std::shared_ptr<UserQuestions> questions_ LH_GUARDED_BY(mutex_);  // null: it has asked none
  Clock::time_point told_ = {};                                     // the last progress; the thread of the call
  bool given_up_ = false;                                           // progress is not reported any more
  Clock::time_point start_;
  std::optional<Call> call_;  // while it is under way
  Answer answer_;
};
static_assert(!std::is_copy_constructible_v<ToolInvocation>);

}  // namespace lh
