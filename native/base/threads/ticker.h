// Calls a function periodically, on a separate thread. Must not: call it twice at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <type_traits>

#include "base/threads/mutex.h"
#include "platform/thread.h"

namespace lh {

class Ticker {
 public:
  // `tick` must not throw; the first call comes after one `period`. Throws std::system_error if no thread can be
  // started.
  Ticker(std::chrono::milliseconds period, std::function<void()> tick);
  // Afterwards `tick` is not running and will not run.
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void run();

  const std::chrono::milliseconds period_;
  const std::function<void()> tick_;
  Mutex mutex_;
  std::condition_variable changed_;
  bool off_ LH_GUARDED_BY(mutex_) = false;
  Thread thread_;  // last: it uses the other members
};
static_assert(!std::is_copy_constructible_v<Ticker>);

}  // namespace lh
