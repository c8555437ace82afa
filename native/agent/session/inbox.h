// What the user says to a session while its run is under way: messages, pause, resume. Any thread.
// Must not: know the run.
#pragma once

#include <condition_variable>
#include <deque>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/threads/cancel.h"
#include "base/threads/mutex.h"

namespace lh {

class Inbox {
 public:
  Inbox() = default;
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  void put(std::string message);
  // What was put first; nothing where nothing is. It waits until it is the conversation's.
  [[nodiscard]] std::optional<std::string> take();
  void heard();     // what was taken last is said by the run, which may still come to nothing
  void put_back();  // what was taken, and is not the conversation's yet
  void refuse();    // what was taken last: it is nobody's
  void settle();    // what was taken is the conversation's
  [[nodiscard]] bool empty() const;
  // What waits, in its order; what was taken, and not heard yet, first.
  [[nodiscard]] std::vector<std::string> waiting() const;

  void pause();
  void resume();
  [[nodiscard]] bool paused() const;
  // Returns when it is resumed, or `cancel` is set.
  void wait_while_paused(CancelFlag& cancel);

 private:
  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> messages_ LH_GUARDED_BY(mutex_);
  std::vector<std::string> taken_ LH_GUARDED_BY(mutex_);
  size_t heard_ LH_GUARDED_BY(mutex_) = 0;  // of taken_, from the front on
  bool paused_ LH_GUARDED_BY(mutex_) = false;
};
static_assert(!std::is_copy_constructible_v<Inbox>);

}  // namespace lh
