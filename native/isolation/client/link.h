// One life of the process that computes for an engine: calls to it, its streams, and its end.
// Must not: start another one.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "base/threads/cancel.h"
#include "base/threads/mutex.h"
#include "base/threads/ticker.h"
#include "isolation/client/child_process.h"
#include "isolation/client/incoming.h"
#include "isolation/client/model_states.h"
#include "isolation/client/stuck_watch.h"
#include "isolation/wire/channel.h"
#include "platform/thread.h"

namespace lh {

class Link {
 public:
  struct Options {
    std::string program;
    std::string libraries;
    std::vector<std::string> environment;
    // Ends the process if a step, a request that is not a load, or a cancelled request takes longer, or if the process
    // sends nothing for long. 0: ends it only if it does not react to a cancel, or holds up a call that cannot be
    // cancelled.
    std::chrono::milliseconds step_timeout{0};
  };
  // `ended`: called once, on a thread of this object, when the process has ended unasked; with the names of the models
  // that it worked for. No caller knows of the end yet.
  using Ended = std::function<void(const Link& link, const Status& why, const std::vector<std::string>& at_work_for)>;
  // `published`: called after that, when all callers know of the end. Neither may throw.
  using Published = std::function<void()>;
  // Errors: kBackendUnavailable, kNoThread.
  [[nodiscard]] static Result<std::unique_ptr<Link>> start(const Options& options, Ended ended, Published published);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  struct Answer {
    Json json;
    std::string bytes;
  };
  // Undoes a request that made an object in the process: the request `op` releases the object that the reply names
  // `of`. Null op: the request makes nothing.
  struct Undo {
    const char* op = nullptr;
    const char* of = nullptr;
  };
  // `fraction` is called on the thread of the call. `work_for`: a name for the report of a crash; empty: none. `cancel`
  // null: that of the work on this thread (CancelScope). If the process does not react to a cancel, the call soon stops
  // waiting. `fraction` may be empty. Errors: those of the request, and of a cancel that was not answered;
  // kEngineCrashed.
  struct Call {
    Json json;
    std::string_view bytes = {};
    std::string_view work_for = {};
    const CancelFlag* cancel = nullptr;
    std::function<void(float)> fraction = {};
    // The call fails after this time, with kBackendUnavailable. Until its answer comes, every other call with
    // `patience` fails at once.
    std::optional<std::chrono::milliseconds> patience = {};
    // The call cannot be cancelled, although the work on this thread has a flag.
    bool must_end = false;
    // Sent if the answer arrives after the call was given up.
    Undo undo = {};
  };
  [[nodiscard]] Result<Answer> call(const Call& what);
  // A request whose end is not waited for.
  void tell(const Json& json);
  // Begins a stream, which ends with the link at the latest. A cancelled stream has already ended. Errors: those of the
  // request; kEngineCrashed.
  [[nodiscard]] Result<std::shared_ptr<Incoming>> begin_stream(const Call& what, int32_t prompt_tokens);
  // The reader of a stream calls these.
  void give_room(uint64_t stream, int32_t tokens);
  void stop(Incoming& stream);
  void cancel(Incoming& stream, const CancelFlag& flag);
  void forget(uint64_t stream);
  // Reports that a cancelled stream or call is no longer waited for.
  void leave_behind() { watch_.leave_behind(); }

  // Ends the process: calls end with kClosed. The wait for a stuck process is short. Any thread, not one of this
  // object.
  void leave();
  [[nodiscard]] bool alive() const;
  [[nodiscard]] Status death() const;  // ok: alive
  // True: the process was stuck, and was ended or will be.
  [[nodiscard]] bool was_stuck() const;
  // True: the process died without being stuck and without being ended: its calls may be sent once more.
  [[nodiscard]] bool died_by_itself() const;
  [[nodiscard]] int pid() const { return process_->pid(); }
  [[nodiscard]] ModelStates& models() { return models_; }

 private:
  class Listed;
  struct Waiting {
    std::string work_for;
    std::optional<float> fraction;  // not reported to the caller yet
    std::optional<Answer> answer;
  };

  Link(const Options& options, std::unique_ptr<ChildProcess> process, Ended ended, Published published);
  [[nodiscard]] Result<Answer> call_as(uint64_t id, const Call& what);
  [[nodiscard]] Status await(uint64_t id, const Call& what, const std::string& json, Waiting& waiting);
  void tell_cancelled(uint64_t id, const CancelFlag& flag);
  void read();
  void take(Frame& frame);
  [[nodiscard]] Undo take_undo(uint64_t id) LH_REQUIRES(mutex_);
  void take_pong(const Frame& frame);
  void report_end();
  [[nodiscard]] Status report_of(const std::optional<ChildEnd>& end, std::vector<std::string>& at_work_for,
                                 bool& wanted) const;
  void tick();
  void end_process(std::string why);

  const Options options_;
  const std::unique_ptr<ChildProcess> process_;
  const Ended ended_;
  const Published published_;
  Channel channel_;
  StuckWatch watch_;
  ModelStates models_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  uint64_t last_id_ LH_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Waiting*> calls_ LH_GUARDED_BY(mutex_);
  struct Stream {
    std::shared_ptr<Incoming> incoming;
    std::string work_for;
    std::optional<StuckWatch::Uncancellable> stopped = {};  // its reader wants no more, and waits for the end
  };
  std::map<uint64_t, Stream> streams_ LH_GUARDED_BY(mutex_);
  Status death_ LH_GUARDED_BY(mutex_);
  std::string killed_for_ LH_GUARDED_BY(mutex_);         // why the watchdog ended it
  bool leaving_ LH_GUARDED_BY(mutex_) = false;           // its end is wanted
  std::set<uint64_t> given_up_ LH_GUARDED_BY(mutex_);    // calls with patience whose answer is still to come
  std::map<uint64_t, Undo> undo_ LH_GUARDED_BY(mutex_);  // of calls whose answer is still to come
  Thread reader_;
  std::unique_ptr<Ticker> watchdog_;  // last: it uses the other members
};
static_assert(!std::is_copy_constructible_v<Link>);

}  // namespace lh
