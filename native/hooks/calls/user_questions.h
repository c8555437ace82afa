// The questions that the call of a tool asks the user while it runs.
// Must not: know the hooks that answer them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/cancel.h"
#include "base/threads/mutex.h"

namespace lh {

struct UserRequest {
  std::string message;
  Json schema;  // of the input; an object
};

// Queues questions, so that one is asked at a time.
class AskingLine {
 public:
  using Place = std::list<uint64_t>::iterator;

  AskingLine() = default;
  AskingLine(const AskingLine&) = delete;
  AskingLine& operator=(const AskingLine&) = delete;

  [[nodiscard]] Place enter() LH_EXCLUDES(mutex_);
  void leave(Place place) LH_EXCLUDES(mutex_);
  // Returns when the place is the first. False: `cancel` was set before.
  [[nodiscard]] bool wait(Place place, CancelFlag& cancel) LH_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  std::list<uint64_t> line_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<AskingLine>);

class UserQuestions;

// One question. It is open, and has its place in the line, while it exists. It may outlive the call.
class UserQuestion {
 public:
  UserQuestion(std::shared_ptr<UserQuestions> of, UserRequest request);
  ~UserQuestion();
  UserQuestion(const UserQuestion&) = delete;
  UserQuestion& operator=(const UserQuestion&) = delete;

  // Once, on a thread that may wait. Returns {"action", "content"?, "reason"?, "by"?}; the action is "cancel" if
  // `cancel` is set or the call is over.
  [[nodiscard]] Json ask(CancelFlag& cancel);

 private:
  const std::shared_ptr<UserQuestions> of_;
  const UserRequest request_;
  const std::shared_ptr<AskingLine> line_;
  const AskingLine::Place place_;
};
static_assert(!std::is_copy_constructible_v<UserQuestion>);

class UserQuestions : public std::enable_shared_from_this<UserQuestions> {
 public:
  using Clock = std::chrono::steady_clock;
  // Has the question answered, on the thread that asks it.
  using Ask = std::function<Json(const UserRequest& request, CancelFlag& cancel)>;
  // Each open question has a thread.
  static constexpr int kMostOpen = 64;

  // `ask` and `work`, the flag of the run, must stay valid until close() has returned. `ended` is called until then
  // when a question has ended, on any thread, under a lock.
  UserQuestions(Ask ask, std::shared_ptr<AskingLine> line, CancelFlag& work, std::function<void()> ended)
      : ask_(std::move(ask)), line_(std::move(line)), work_(work), ended_(std::move(ended)) {}
  UserQuestions(const UserQuestions&) = delete;
  UserQuestions& operator=(const UserQuestions&) = delete;

  // Errors: kBusy.
  [[nodiscard]] Result<std::shared_ptr<UserQuestion>> open(UserRequest request) LH_EXCLUDES(mutex_);
  [[nodiscard]] bool any_open() const LH_EXCLUDES(mutex_);
  // The time at which the last one ended; nullopt: none has.
  [[nodiscard]] std::optional<Clock::time_point> last_ended() const LH_EXCLUDES(mutex_);
  // The call is over: ends the questions, and returns when none is being asked.
  void close() LH_EXCLUDES(mutex_);

 private:
  friend class UserQuestion;
  class Asking;
  [[nodiscard]] Json ask(const UserRequest& request, AskingLine::Place place, CancelFlag& cancel) LH_EXCLUDES(mutex_);
  [[nodiscard]] bool closed() const LH_EXCLUDES(mutex_);
  void begin_one() LH_EXCLUDES(mutex_);
  void end_one() LH_EXCLUDES(mutex_);

  const Ask ask_;
  const std::shared_ptr<AskingLine> line_;
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
