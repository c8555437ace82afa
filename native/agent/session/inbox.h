// Messages, pauses and resumes that the user sends to a session during a run. Any thread.
// Must not: know the run.
#pragma once

#include <condition_variable>
#include <deque>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/json/fields.h"
#include "base/threads/cancel.h"
#include "base/threads/mutex.h"

namespace lh {

// A message that the user has queued.
struct QueuedMessage {
  std::string content;                    // as hooks left it, once they were called
  bool asked = false;                     // hooks were called; they are called once
  std::vector<std::string> context = {};  // texts that hooks added

  template <typename Self, typename Fields>
  static void fields(Self& self, Fields& all) {
    all("content", self.content);
    all("asked", self.asked, Absent::kIfEmpty);
    all("context", self.context, Absent::kIfEmpty);
  }
};

class Inbox {
 public:
  Inbox() = default;
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  void put(QueuedMessage message);
  // Takes the first waiting message; nothing: none waits. The inbox remembers it until settle(), put_back() or
  // refuse().
  [[nodiscard]] std::optional<QueuedMessage> take();
  void asked(QueuedMessage message);  // sets the message taken last as hooks left it
  void heard();                       // the run has said the taken messages, but may still fail
  void put_back();                    // the run ended before the conversation had the taken messages: they wait again
  void refuse();                      // a hook refused the message taken last: it is dropped
  void settle();                      // the taken messages are part of the conversation now
  [[nodiscard]] bool empty() const;
  // The taken messages that the run has not said yet, then the waiting ones, in order.
  [[nodiscard]] std::vector<QueuedMessage> waiting() const;

  void pause();
  void resume();
  [[nodiscard]] bool paused() const;
  // Returns when it is resumed, or `cancel` is set.
  void wait_while_paused(CancelFlag& cancel);

 private:
  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::deque<QueuedMessage> messages_ LH_GUARDED_BY(mutex_);
  std::vector<QueuedMessage> taken_ LH_GUARDED_BY(mutex_);
  size_t heard_ LH_GUARDED_BY(mutex_) = 0;  // the number of taken_ that the run has said, from the front
  bool paused_ LH_GUARDED_BY(mutex_) = false;
};
static_assert(!std::is_copy_constructible_v<Inbox>);

}  // namespace lh
