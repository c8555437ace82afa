// The only file that crosses threads: jobs from any thread run in order on the JavaScript thread of one environment.
// Must not: hold its lock while a job runs.
#pragma once

#include <node_api.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/threads/mutex.h"

namespace lh::node {

class JsThread {
 public:
  // A job dropped at teardown is destroyed without its environment, so it must not hold a JavaScript reference.
  using Job = std::function<void(napi_env)>;

  // On the JavaScript thread. Throws Napi::Error.
  explicit JsThread(napi_env env);
  JsThread(const JsThread&) = delete;
  JsThread& operator=(const JsThread&) = delete;

  enum class Posted { kDropped, kAwake, kWoken };

  // Queues a job and wakes the JavaScript thread once for all queued jobs. Any thread; never blocks. Returns whether
  // that thread was awake, and so will run the job at once, or had to be woken. After close the job is dropped.
  Posted post(Job job);

  // True on the thread that runs this environment's JavaScript.
  [[nodiscard]] bool is_current() const { return std::this_thread::get_id() == thread_; }
  [[nodiscard]] napi_env env() const { return env_; }

  // True if jobs have recently come back to back: then spinning for the next one costs less than sleeping.
  [[nodiscard]] bool comes_back_to_back() const { return odds_.load(std::memory_order_relaxed) >= kEven; }

  // False if this thread shares its core with the JavaScript thread, as far as is known.
  [[nodiscard]] bool runs_elsewhere() const;

  // From inside a job: a thread waits for its result and may post the next job at once (the next hook, the next token),
  // so spin for a moment before sleeping, if that has recently paid off.
  void expect_more() { expect_more_ = true; }

  // Keep the process alive: one release per hold. JavaScript thread.
  void hold();
  void release();

  // From here on no job runs and none is accepted. JavaScript thread, before the environment is torn down.
  void close();

 private:
  using Clock = std::chrono::steady_clock;

  static void on_wake(napi_env env, napi_value, void* context, void*);
  std::vector<Job> take();
  void run(const std::vector<Job>& jobs);
  [[nodiscard]] bool comes_soon() const;
  void learn(Clock::time_point posted);
  void doze();
  void wake() LH_REQUIRES(mutex_);

  const napi_env env_;
  const std::thread::id thread_ = std::this_thread::get_id();
  napi_threadsafe_function function_ = nullptr;
  int holds_ = 0;                  // JavaScript thread
  bool expect_more_ = false;       // JavaScript thread
  Clock::time_point ran_;          // when the last jobs ended; JavaScript thread
  std::atomic<size_t> queued_{0};  // size of jobs_, readable without the lock
  static constexpr int kSure = 256;
  static constexpr int kEven = 128;
  std::atomic<int> odds_{kSure};      // that the next job comes soon; written by the JavaScript thread
  std::atomic<int> core_{-1};         // the core where the JavaScript thread ran last
  std::atomic<int> poster_core_{-1};  // the core of the last job's poster

  Mutex mutex_;
  std::deque<Job> jobs_ LH_GUARDED_BY(mutex_);
  Clock::time_point posted_ LH_GUARDED_BY(mutex_);  // when the first of the jobs came
  bool awake_ LH_GUARDED_BY(mutex_) = false;        // awake or being woken, so that a post need not wake it
  bool closed_ LH_GUARDED_BY(mutex_) = false;
};
static_assert(!std::is_copy_constructible_v<JsThread>);

}  // namespace lh::node
