#include "base/threads/threads.h"

#include <latch>
#include <system_error>
#include <vector>

#include "base/caught.h"
#include "platform/thread.h"

namespace lh {

Status check_threads(int count) {
  Status status;
  std::latch all_there(1);
  std::vector<Thread> threads;
  threads.reserve(static_cast<size_t>(count));
  try {
    for (int i = 0; i < count; ++i) threads.emplace_back([&all_there] { all_there.wait(); });
  } catch (const std::system_error&) {
    status = caught();
  }
  all_there.count_down();
  for (Thread& thread : threads) thread.join();
  return status;
}

}  // namespace lh
