#include "engine/tasks/task.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "base/caught.h"
#include "base/text/printable.h"
#include "base/text/reason.h"
#include "base/text/utf8.h"
#include "base/threads/caught_here.h"
#include "engine/tasks/event_json.h"
#include "platform/thread.h"

namespace lh {
namespace {

constexpr auto kLook = std::chrono::milliseconds(50);  // the interval at which a wait looks at what the work does

// Counts a delivery while it exists.
class Delivery {
 public:
  explicit Delivery(std::atomic<int>& count) : count_(count) { ++count_; }
  ~Delivery() { --count_; }
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

 private:
  std::atomic<int>& count_;
};

thread_local const Task* current_body = nullptr;  // the task whose body runs on this thread

std::string error_json(const Status& status, Json details = Json::object()) {
  details["code"] = code_name(status.code());
  details["message"] = printable(status.message());
  return dump_json(details);
}

}  // namespace

Task::Task(const lh_task_callbacks& callbacks, Kind kind, Body body, OnDone on_done)
    : callbacks_(callbacks),
      kind_(kind),
      on_done_(std::move(on_done)),
      on_event_(callbacks.on_event),
      body_(std::move(body)) {
  if (callbacks.cancelled != nullptr) cancel(reason_or(to_utf8(callbacks.cancelled), "cancelled"));
}

std::shared_ptr<Task> Task::make(const lh_task_callbacks& callbacks, Kind kind, Body body, OnDone on_done) {
  return std::shared_ptr<Task>(new Task(callbacks, kind, std::move(body), std::move(on_done)));
}

Task::~Task() {
  if (!thread_.joinable()) return;
  if (thread_.is_current()) {
    thread_.detach();  // the thread itself held the last reference
  } else {
    thread_.join();
  }
}

Status Task::launch() {
  // The thread holds the task, so that it ends properly even if its owner has dropped it. It starts only after thread_
  // is written.
  const auto self = shared_from_this();
  const MutexLock lock(mutex_);
  try {
    thread_ = Thread([self] { self->run(); });
  } catch (const std::system_error&) {
    return caught();
  }
  return {};
}

const Task* Task::current() { return current_body; }

// Counted before it looks for the receiver: give_up() takes the receiver away, and then waits for the count.
void Task::deliver(const Event& event, const EventOrigin* origin) {
  const Delivery delivery(delivering_);
  if (const lh_event_fn on_event = on_event_.load()) {
    on_event(event_json(event, origin).c_str(), callbacks_.user_data);
  }
}

void Task::cancel(std::string reason, Code why) {
  {
    const MutexLock lock(mutex_);
    if (!cancelled_at_) cancelled_at_ = Clock::now();
  }
  cancel_.cancel(std::move(reason), why);
}

bool Task::give_up(const Status& status) {
  const std::string json = error_json(status);
  {
    const MutexLock lock(mutex_);
    if (std::exchange(reported_, true)) return false;
    left_behind_.emplace();
  }
  given_up_ = true;
  on_event_.store(nullptr);
  const OperationScope doing(operation_);  // so that its end does not wait for itself
  while (delivering_.load() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  callbacks_.on_end(static_cast<lh_status>(status.code()), json.c_str(), callbacks_.user_data);
  tell_ended();
  return true;
}

// One of the places where exceptions stop: an exception of the work becomes the task's end.
TaskEnd Task::outcome() {
  const CaughtHere caught_here;
  try {
    return body_(*this);
  } catch (...) {
    return {caught()};
  }
}

void Task::run() noexcept {
  { const MutexLock started(mutex_); }
  lh_status status = LH_ERR_INSUFFICIENT_MEMORY;
  std::string json;
  const char* text = R"({"code":"INSUFFICIENT_MEMORY","message":"out of memory"})";
  const OperationScope doing(operation_);
  const CancelScope polled(cancel_);
  current_body = this;
  try {
    TaskEnd end = outcome();
    json = end.status.ok() ? dump_json(end.json) : error_json(end.status, std::move(end.json));
    text = json.c_str();
    status = static_cast<lh_status>(end.status.code());
  } catch (...) {  // no memory for the end; the text above needs none
  }
  current_body = nullptr;
  end(status, text);
}

void Task::refuse(const Status& status) {
  const OperationScope doing(operation_);  // as if it were running, so that its end does not wait for itself
  end(static_cast<lh_status>(status.code()), error_json(status).c_str());
}

void Task::end(lh_status status, const char* json) {
  body_ = nullptr;  // its captures are freed before the caller learns of the end
  bool given_up = false;
  {
    const MutexLock lock(mutex_);
    given_up = std::exchange(reported_, true);
  }
  if (!given_up) callbacks_.on_end(status, json, callbacks_.user_data);
  on_done_(this);
  if (!given_up) return tell_ended();
  const MutexLock lock(mutex_);
  left_behind_.reset();
}

void Task::tell_ended() {
  const MutexLock lock(mutex_);
  ended_ = true;
  ended_condition_.notify_all();
}

bool Task::may_wait() const {
  const void* const lent = operation_->awaits_users_of.load(std::memory_order_acquire);
  return !Operation::held_up([&](const Operation& one) {
    return &one == operation_.get() || kind_ == Kind::kWaitsForWork || (lent != nullptr && one.uses.has(lent));
  });
}

void Task::wait() {
  MutexLock lock(mutex_);
  while (!ended_) lock.wait(ended_condition_);
}

void Task::wait_or_give_up(std::chrono::milliseconds patience) {
  if (patience.count() == 0 || kind_ != Kind::kWork) return wait();
  {
    MutexLock lock(mutex_);
    Clock::time_point until = cancelled_at_.value_or(Clock::now()) + patience;
    while (!ended_) {
      if (awaits_answer()) until = std::max(until, Clock::now() + patience);
      if (Clock::now() >= until) break;
      lock.wait_until(ended_condition_, std::min(until, Clock::now() + kLook));
    }
    if (ended_) return;
  }
  const auto ms = std::to_string(patience.count());
  if (!give_up({Code::kStuck, "the work did not end within " + ms + " ms of its cancel"})) wait();
}

void Task::join() {
  if (!thread_.joinable()) return;
  if (given_up_) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

}  // namespace lh
