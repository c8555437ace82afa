// Calls a function once, at a given time, on a separate thread. Must not: return from the destructor while the function
// runs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <type_traits>

#include "base/threads/mutex.h"
#include "platform/thread.h"

namespace lh {

class Alarm {
 public:
  // `ring` must not throw. Throws std::system_error if no thread can be started.
  Alarm(std::chrono::milliseconds after, std::function<void()> ring);
  // Afterwards `ring` is not running and will not run.
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

 private:
  void wait();

  const std::chrono::steady_clock::time_point due_;
  const std::function<void()> ring_;
  Mutex mutex_;
  std::condition_variable changed_;
  bool off_ LH_GUARDED_BY(mutex_) = false;
  Thread thread_;  // last: it uses the other members
};
static_assert(!std::is_copy_constructible_v<Alarm>);

}  // namespace lh
