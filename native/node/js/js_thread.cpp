// The only file that crosses threads: see js_thread.h.
#include "js_thread.h"

#include <napi.h>

#include <algorithm>
#include <iterator>

#include "platform/cores.h"
#include "spin.h"

namespace lh::node {
namespace {

// Jobs run between two turns of the microtask queue. With more, a flood of observers could delay promises.
constexpr size_t kBatch = 256;
constexpr int kRounds = 32;

// The time that the thread spins for the next job before it sleeps: about the cost of a wake-up.
constexpr auto kLinger = std::chrono::microseconds(25);
// Jobs this close count as back to back. Without a spinning thread, the poster must wake it up between them.
constexpr auto kSoon = std::chrono::microseconds(200);

}  // namespace

JsThread::JsThread(napi_env env) : env_(env) {
  const Napi::String name = Napi::String::New(env, "llama-hooks");
  const napi_status status = napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, this,
                                                             &JsThread::on_wake, &function_);
  if (status != napi_ok) throw Napi::Error::New(env);
  napi_unref_threadsafe_function(env, function_);
}

JsThread::Posted JsThread::post(Job job) {
  poster_core_.store(current_core(), std::memory_order_relaxed);
  const MutexLock lock(mutex_);
  if (closed_) return Posted::kDropped;
  if (jobs_.empty()) posted_ = Clock::now();
  jobs_.push_back(std::move(job));
  const bool was_awake = awake_;
  if (!awake_) wake();
  queued_.store(jobs_.size(), std::memory_order_relaxed);
  return was_awake ? Posted::kAwake : Posted::kWoken;
}

// Under the lock, so that close() cannot release the function during a call.
void JsThread::wake() { awake_ = napi_call_threadsafe_function(function_, nullptr, napi_tsfn_nonblocking) == napi_ok; }

void JsThread::on_wake(napi_env env, napi_value, void* context, void*) {
  if (!env) return;  // the environment is being torn down, and `context` may be gone
  auto& self = *static_cast<JsThread*>(context);
  self.core_.store(current_core(), std::memory_order_relaxed);
  for (int round = 0; round < kRounds; ++round) {
    self.run(self.take());
    if (!self.comes_soon()) break;
  }
  self.doze();
}

void JsThread::doze() {
  const MutexLock lock(mutex_);
  awake_ = false;
  if (!jobs_.empty() && !closed_) wake();
}

void JsThread::run(const std::vector<Job>& jobs) {
  if (jobs.empty()) return;
  expect_more_ = false;
  for (const Job& job : jobs) {
    const Napi::HandleScope scope(env_);
    try {
      job(env_);
    } catch (const Napi::Error& error) {
      napi_fatal_exception(env_, error.Value());
    } catch (const std::exception& error) {
      napi_fatal_exception(env_, Napi::Error::New(env_, error.what()).Value());
    }
  }
  ran_ = Clock::now();
}

// A moving average. Tokens of a slow model come one by one: spinning after each would only occupy a core.
void JsThread::learn(Clock::time_point posted) {
  if (!expect_more_) return;
  const int odds = odds_.load(std::memory_order_relaxed);
  odds_.store(odds + ((posted - ran_ < kSoon ? kSure : 0) - odds) / 4, std::memory_order_relaxed);
}

bool JsThread::runs_elsewhere() const {
  const int core = current_core();
  return core < 0 || core != core_.load(std::memory_order_relaxed);
}

bool JsThread::comes_soon() const {
  const int core = current_core();
  const bool alone = core < 0 || core != poster_core_.load(std::memory_order_relaxed);
  if (!expect_more_ || !alone || !comes_back_to_back()) return false;
  return spin_until([this] { return queued_.load(std::memory_order_relaxed) != 0; }, kLinger);
}

std::vector<JsThread::Job> JsThread::take() {
  const MutexLock lock(mutex_);
  if (!jobs_.empty()) learn(posted_);
  const auto end = jobs_.begin() + static_cast<std::ptrdiff_t>(std::min(kBatch, jobs_.size()));
  std::vector<Job> batch(std::make_move_iterator(jobs_.begin()), std::make_move_iterator(end));
  jobs_.erase(jobs_.begin(), end);
  queued_.store(jobs_.size(), std::memory_order_relaxed);
  return batch;
}

void JsThread::hold() {
  if (holds_++ == 0) napi_ref_threadsafe_function(env_, function_);
}

void JsThread::release() {
  if (--holds_ == 0) napi_unref_threadsafe_function(env_, function_);
}

void JsThread::close() {
  std::deque<Job> dropped;
  const MutexLock lock(mutex_);
  closed_ = true;
  dropped.swap(jobs_);
}

}  // namespace lh::node
