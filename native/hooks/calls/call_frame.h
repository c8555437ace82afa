// A call of a hook or tool, as other threads refer to it, and the calls that this thread has entered.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/json/json.h"
#include "base/status.h"
#include "hooks/calls/user_questions.h"

namespace lh {

class Hook;
struct Operation;

// Hooks that are asked at the same time: the calls of all of them end when the last has answered.
using HookGroup = std::shared_ptr<const std::vector<const Hook*>>;

// The progress of a tool.
struct CallProgress {
  double done = 0;
  std::optional<double> total;
  std::optional<std::string> message;
};

// A failure of something that a tool uses; the tool itself keeps running.
struct CallFault {
  std::string code;
  std::string message;
};

// Receives the reports of a tool while it runs.
class ToolListener {
 public:
  virtual ~ToolListener() = default;
  // Any thread, under a lock: it must not wait.
  virtual void take(CallProgress progress) = 0;
  // Passes the taken reports on, on the thread of the call, under no lock.
  virtual void pass_on() = 0;
  // Like the first take(): a failure, which is reported at ON_ERROR.
  virtual void take(CallFault fault) = 0;
  // Like take(): a question for the user. Errors: kNotFound if the call is over, kBusy.
  [[nodiscard]] virtual Result<std::shared_ptr<UserQuestion>> question(UserRequest request) = 0;
};

// Stays valid after the call is over.
struct CallFrame {
  uint64_t id = 0;                         // never 0, never used again in this process
  int depth = 0;                           // nesting depth in hook calls, this call included
  const Hook* hook = nullptr;              // null: a tool's call. Only compare it: the hook may be gone after the call
  HookGroup group;                         // the hooks asked together with `hook`; null: it is asked alone
  std::shared_ptr<const CallFrame> outer;  // the call that this call is made inside of
  std::weak_ptr<const Operation> work;     // the work that waits for this call; null if none does, or when it is over
  std::atomic<bool> over{false};
  ToolListener* listener = nullptr;  // null: the call is not the run of a tool. Valid until drop()
  Json directives;                   // the directives of a tool's call so far: an array, or null. Only Call uses it

  // Gives the frame its id, by which find() returns it until drop().
  static void add(const std::shared_ptr<CallFrame>& frame);
  static void drop(const CallFrame& frame) noexcept;
  // The call with that id; null if it is over or there never was one.
  [[nodiscard]] static std::shared_ptr<const CallFrame> find(uint64_t id);

  // Adds a directive of the tool whose call has that id. Errors: NOT_FOUND when the call is over, INVALID_ARGUMENT for
  // a hook's call.
  [[nodiscard]] static Status direct(uint64_t id, Json directive);
  // Tells how far the tool whose call has that id is. Errors: as direct(), and INVALID_ARGUMENT for a tool's check.
  [[nodiscard]] static Status tell_progress(uint64_t id, CallProgress progress);
  // Reports a failure at ON_ERROR, as one of the tool whose call has that id. Errors: as tell_progress().
  [[nodiscard]] static Status report(uint64_t id, CallFault fault);
  // A question for the user, of the tool whose call has that id, for a thread that asks it. Errors: as tell_progress(),
  // and kBusy.
  [[nodiscard]] static Result<std::shared_ptr<UserQuestion>> question(uint64_t id, UserRequest request);
  // Drops the call and returns its directives so far: an array, or null.
  [[nodiscard]] static Json take_directives(CallFrame& frame);

  // This thread acts inside the call, until leave(). Nests. Errors: NOT_FOUND when the call is over.
  [[nodiscard]] static Status enter(uint64_t id);
  static void leave() noexcept;
  // The call that this thread has entered last; null if none.
  [[nodiscard]] static std::shared_ptr<const CallFrame> last_entered();
  [[nodiscard]] static size_t entered_count() noexcept;
  // The depth of the last entered call; 0 if there is none or it is over.
  [[nodiscard]] static int entered_depth() noexcept;
  // True if `is` returns true for one of the calls that this thread has entered.
  [[nodiscard]] static bool any_entered(FunctionRef<bool(const std::shared_ptr<const CallFrame>&)> is);
};

// The depth of a call; 0 if there is none or it is over.
[[nodiscard]] inline int live_depth(const CallFrame* frame) noexcept {
  return frame == nullptr || frame->over ? 0 : frame->depth;
}

}  // namespace lh
