// Threads that carry out requests. An idle one is used again; each request gets a thread as soon as it arrives.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <type_traits>
#include <vector>

#include "base/threads/mutex.h"

namespace lh {

class Workers {
 public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // `work` must not throw. Throws std::system_error if no thread can be started.
  void run(std::function<void()> work);

 private:
  void work_on();

  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_ LH_GUARDED_BY(mutex_);
  size_t idle_ LH_GUARDED_BY(mutex_) = 0;
};
static_assert(!std::is_copy_constructible_v<Workers>);

}  // namespace lh
