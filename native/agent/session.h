// A conversation with an agent: its history, its tools, and one run at a time.
// Must not: know models or threads; each run brings its own.
#pragma once

#include <condition_variable>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "agent/agent_run.h"
#include "agent/permissions.h"
#include "agent/session_parameters.h"
#include "agent/tool.h"
#include "base/cancel.h"
#include "base/mutex.h"

namespace lh {

// How a session is opened.
struct SessionSetup : SessionParams {
  Messages history;
  SamplingParams sampling;
  AgentTools tools;
  Permissions permissions;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  // Errors: kInvalidArgument for two tools of one name; kInvalidMessages for a history with a system message, or with a
  // tool call without its result.
  static Result<std::shared_ptr<Session>> create(const Dispatcher& dispatcher, CancelFlag& closing, SessionSetup setup);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const SessionSetup& setup() const { return setup_; }
  [[nodiscard]] const AgentTools& tools() const { return setup_.tools; }  // control tools among them
  [[nodiscard]] const Tools& shown_tools() const { return shown_tools_; }

  // The right to run, of one run at a time, for as long as it exists.
  class Turn {
   public:
    explicit Turn(std::shared_ptr<Session> session) : session_(std::move(session)) {}
    ~Turn() { session_->end_turn(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    [[nodiscard]] Session& session() const { return *session_; }

   private:
    const std::shared_ptr<Session> session_;
  };
  // Errors: kSessionBusy, kClosed.
  [[nodiscard]] Result<std::unique_ptr<Turn>> take_turn();

  // Runs on this thread; whoever calls it has the turn.
  [[nodiscard]] RunResult run(const RunInput& input, const std::string& run_id, ModelUse model, const Work& work);
  // No run begins any more; the one under way is waited for. Fires ON_SESSION_END, once.
  void close();

  [[nodiscard]] Messages history() const;

  // For the run that has the turn.
  void set_history(Messages messages);
  [[nodiscard]] std::string system_prompt(const Scope& scope, std::vector<Decision>& decisions);
  void count_iteration() { ++iterations_; }

 private:
  Session(const Dispatcher& dispatcher, CancelFlag& closing, SessionSetup setup);
  void end_turn();
  [[nodiscard]] Scope scope() const;
  void begin(Scope scope);

  const Dispatcher& dispatcher_;
  CancelFlag& closing_;
  SessionSetup setup_;
  const std::string id_;
  Tools shown_tools_;
  // Of whoever has the turn, or closes.
  bool begun_ = false;
  std::optional<std::string> system_prompt_;  // assembled once, so that the KV cache keeps what begins with it
  int32_t iterations_ = 0;

  mutable Mutex mutex_;
  std::condition_variable idle_;
  Messages history_ LH_GUARDED_BY(mutex_);
  bool busy_ LH_GUARDED_BY(mutex_) = false;
  bool closed_ LH_GUARDED_BY(mutex_) = false;
};
static_assert(!std::is_copy_constructible_v<Session>);

}  // namespace lh
