// A conversation with an agent: its history, its tools, and one run at a time.
// Must not: load models, or make threads; each run has a thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "agent/permissions/permission_memory.h"
#include "agent/session/dialogue.h"
#include "agent/session/inbox.h"
#include "agent/session/session_record.h"
#include "agent/session/waiting_run.h"
#include "agent/setup/tier.h"
#include "base/function_ref.h"
#include "base/threads/cancel.h"
#include "base/threads/mutex.h"
#include "generation/model_source.h"

namespace lh {

class Session : public std::enable_shared_from_this<Session> {
 public:
  // Errors: kInvalidArgument for two tools of one name, and those of tiers and control tools; kInvalidMessages for a
  // history with a system message, or with a tool call without its result.
  static Result<std::shared_ptr<Session>> create(const Dispatcher& dispatcher, ModelSource& models, CancelFlag& closing,
                                                 SessionSetup setup);
  // Continues a saved session, with the tools, tiers and options of `setup`, which has no history. Errors: those of
  // create(), kSessionFileInvalid.
  static Result<std::shared_ptr<Session>> restore(const Dispatcher& dispatcher, ModelSource& models,
                                                  CancelFlag& closing, SessionSetup setup, std::string_view record);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const SessionSetup& setup() const { return setup_; }
  // The model of the next run: its id; empty: the only one loaded.
  [[nodiscard]] std::string model() const { return own_->profile()->model; }

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

  // The hooks of its runs, compactions and the runs that those delegate to; until it is closed.
  [[nodiscard]] const std::shared_ptr<HookScope>& hooks() const { return hooks_; }

  // Sets the adapters of the model calls of this session (not of child runs) from the next one on, in place of those of
  // its options, tiers and phases. Returns the active adapters. Any thread, also during a run. Errors: as
  // ActiveAdapters::become().
  [[nodiscard]] Result<std::vector<ActiveAdapter>> swap_adapters(const std::vector<AdapterChoice>& choices,
                                                                 const ModelUse& model, const Work& work,
                                                                 std::vector<Decision>& decisions);

  // Any thread, at any time.
  [[nodiscard]] Messages history(bool compacted) const;
  [[nodiscard]] Json record() const;
  // A copy that is independent from here on, with the same tools and hooks.
  // `message_id`: the copy ends with that message; empty: with the last.
  [[nodiscard]] Result<std::shared_ptr<Session>> fork(const std::string& message_id) const;
  // Makes the messages end with that one; empty: removes all. Tool calls that wait for an answer are dropped. The
  // caller has the turn. Errors: those of Dialogue::rewind().
  [[nodiscard]] Status rewind(const std::string& message_id);
  // The messages that the user sends during a run: each joins before the next iteration, or in the next run.
  [[nodiscard]] Inbox& inbox() { return inbox_; }

  // The run that waits for answers about tool calls; nothing: no run waits. Any thread.
  [[nodiscard]] std::optional<WaitingRun> waiting() const;
  // Sets the waiting run, which has just ended and still has the turn.
  void set_waiting(WaitingRun run);
  // The waiting run continues.
  void forget_waiting();
  // Sets all tools except the control tools, or all tiers: at once, or, while a run has the turn, before its next
  // iteration (take_changes()). They are set as a whole or not at all. Any thread. Errors: those of create(), kClosed,
  // and kInvalidArgument if a conversation needs a tier that would be removed.
  [[nodiscard]] Status set_tools(AgentTools tools);
  [[nodiscard]] Status set_tiers(std::vector<Tier> tiers);

  // True while a run has the turn.
  [[nodiscard]] bool busy() const;
  // Refuses new runs, and waits for the run under way. Fires ON_SESSION_END, once.
  void close();

  // The scope of the run that has the turn, or of a child run of it.
  [[nodiscard]] Scope run_scope(const std::string& run_id, const ModelUse& model, const Work& work) const;
  // Before the work of a turn: fires ON_SESSION_START the first time, and warns if a restored session continues with
  // another model or chat template.
  void begin(const Scope& scope, const ModelUse& model);
  void add_usage(const Usage& usage);
  // Fires ON_ERROR for a failure outside the engine. Any thread.
  void report(const std::string& code, const std::string& message, const std::string& where) const;
  [[nodiscard]] Dialogue& own() { return *own_; }
  [[nodiscard]] const Dispatcher& dispatcher() const { return dispatcher_; }
  [[nodiscard]] ModelSource& models() const { return models_; }
  void count_iteration() { ++iterations_; }
  // Between two iterations, while no child run is under way: the tools and tiers that were set hold from here. Error: a
  // conversation has begun to need a tier that would be removed; nothing changes then.
  [[nodiscard]] Status take_changes();
  [[nodiscard]] PermissionMemory& remembered() { return remembered_; }
  // Keeps a conversation with a tier; gives its name.
  [[nodiscard]] std::string add_child(const std::string& tier, std::shared_ptr<Dialogue> child);
  // The tier that a conversation of that name was begun with; its tier may have changed since.
  [[nodiscard]] static std::string opened_for(const std::string& name) { return name.substr(0, name.rfind('-')); }
  // Null if the name is unknown.
  [[nodiscard]] std::shared_ptr<Dialogue> child(const std::string& name) const;

 private:
  Session(const Dispatcher& dispatcher, ModelSource& models, CancelFlag& closing, SessionSetup setup);
  // Adds the control tools, and checks all. Errors: those of create().
  [[nodiscard]] static Status complete(SessionSetup& setup);
  [[nodiscard]] Status change(FunctionRef<void(SessionSetup& setup)> edit);
  [[nodiscard]] Status check_conversations(const SessionSetup& next) const LH_REQUIRES(mutex_);
  // Leaves in `next` what is replaced, which is then to be destroyed under no lock: it releases tools.
  void adopt(SessionSetup& next) LH_REQUIRES(mutex_);
  void note_model(const ModelUse& model);
  // `of`: the session of this process that has made the record; null: it comes from outside.
  [[nodiscard]] Status take_record(const SessionRecord& record, const Session* of);
  void end_turn();
  // The count, up to the maximum of a file.
  [[nodiscard]] int32_t iterations() const { return static_cast<int32_t>(std::min<int64_t>(iterations_, INT32_MAX)); }
  [[nodiscard]] Scope scope() const;
  void fire_start(const Scope& scope);

  const Dispatcher& dispatcher_;
  ModelSource& models_;
  CancelFlag& closing_;
  SessionSetup setup_;  // tools and tiers: written under mutex_, by the work that has the turn, or while none has it
  const std::string id_;
  const std::shared_ptr<HookScope> hooks_;
  // Used only by the thread that has the turn, or that closes the session.
  bool begun_ = false;

  std::shared_ptr<Dialogue> own_;  // set before anybody knows the session
  Inbox inbox_;
  PermissionMemory remembered_;
  std::atomic<int64_t> iterations_{0};

  mutable Mutex mutex_;
  Usage usage_ LH_GUARDED_BY(mutex_);
  std::optional<ModelMark> model_mark_
      LH_GUARDED_BY(mutex_);                     // of the last run, also where that was before a restore; null: none
  bool restored_ LH_GUARDED_BY(mutex_) = false;  // and has not run since
  std::map<std::string, std::shared_ptr<Dialogue>> children_ LH_GUARDED_BY(mutex_);  // by name
  std::optional<WaitingRun> waiting_ LH_GUARDED_BY(mutex_);
  std::unique_ptr<SessionSetup> next_ LH_GUARDED_BY(mutex_);  // what holds from the next iteration; null: no change
  std::condition_variable idle_;
  bool busy_ LH_GUARDED_BY(mutex_) = false;
  bool closed_ LH_GUARDED_BY(mutex_) = false;
};
static_assert(!std::is_copy_constructible_v<Session>);

}  // namespace lh
