// The questions that the call of a tool asks the user while it runs.
// Must not: know who answers them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/json/json.h"
#include "base/threads/cancel.h"
#include "base/threads/mutex.h"

namespace lh {

struct UserRequest {
  std::string message;
  Json schema;  // of the input; an object
};

// The turn to ask: one question at a time.
class AskingTurn {
 public:
  AskingTurn() = default;
  AskingTurn(const AskingTurn&) = delete;
  AskingTurn& operator=(const AskingTurn&) = delete;

  // Waits for the turn, and has it for as long as this object lives.
  class Held {
   public:
    Held(AskingTurn& turn, CancelFlag& cancel);
    ~Held();
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    // False: `cancel` was set first.
    [[nodiscard]] explicit operator bool() const { return held_; }

   private:
    AskingTurn& turn_;
    bool held_ = false;
  };

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  bool taken_ LH_GUARDED_BY(mutex_) = false;
};
static_assert(!std::is_copy_constructible_v<AskingTurn>);

class UserQuestions;

// One of them. It is open while it exists, and may outlive the call.
class UserQuestion {
 public:
  UserQuestion(std::shared_ptr<UserQuestions> of, UserRequest request)
      : of_(std::move(of)), request_(std::move(request)) {}
  ~UserQuestion();
  UserQuestion(const UserQuestion&) = delete;
  UserQuestion& operator=(const UserQuestion&) = delete;

  // Once, on a thread that may wait: the answer, {"action", "content"?, "reason"?, "by"?}. It is "cancel" when
  // `cancel` is set, or the call is over.
  [[nodiscard]] Json ask(CancelFlag& cancel);

 private:
  const std::shared_ptr<UserQuestions> of_;
  const UserRequest request_;
};
static_assert(!std::is_copy_constructible_v<UserQuestion>);

class UserQuestions : public std::enable_shared_from_this<UserQuestions> {
 public:
  using Clock = std::chrono::steady_clock;
  // Has the question answered, on the thread that asks it.
  using Ask = std::function<Json(const UserRequest& request, CancelFlag& cancel)>;

  // Everything given stays until close() has returned. `ended` is called when a question has ended, on any thread,
  // under a lock.
  UserQuestions(Ask ask, AskingTurn& turn, CancelFlag& work, std::function<void()> ended)
      : ask_(std::move(ask)), turn_(turn), work_(work), ended_(std::move(ended)) {}
  UserQuestions(const UserQuestions&) = delete;
  UserQuestions& operator=(const UserQuestions&) = delete;

  [[nodiscard]] std::shared_ptr<UserQuestion> open(UserRequest request) LH_EXCLUDES(mutex_);
  [[nodiscard]] bool any_open() const LH_EXCLUDES(mutex_);
  // When the last one ended; nullopt: none has.
  [[nodiscard]] std::optional<Clock::time_point> last_ended() const LH_EXCLUDES(mutex_);
  // The call is over: ends the questions, and returns when none is being asked.
  void close() LH_EXCLUDES(mutex_);

 private:
  friend class UserQuestion;
  class Asking;
  [[nodiscard]] Json ask(const UserRequest& request, CancelFlag& cancel) LH_EXCLUDES(mutex_);
  void end_one() LH_EXCLUDES(mutex_);

  const Ask ask_;
  AskingTurn& turn_;
  CancelFlag& work_;
  const std::function<void()> ended_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  int open_ LH_GUARDED_BY(mutex_) = 0;
  bool closed_ LH_GUARDED_BY(mutex_) = false;
  // The flag of each question that is being asked.
  std::vector<std::shared_ptr<CancelFlag>> asking_ LH_GUARDED_BY(mutex_);
  std::optional<Clock::time_point> last_ended_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<UserQuestions>);

}  // namespace lh
