// Remembers messages whose texts spell out no control token, so that a turn looks at its new messages alone.
// Must not: keep messages alive.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/threads/mutex.h"
#include "model/conversation.h"

namespace lh {

class CleanMessages {
 public:
  // The number of messages at the beginning that are known to be clean.
  [[nodiscard]] size_t known(const Messages& messages);
  void keep(const Messages& messages);

 private:
  using Conversation = std::vector<std::weak_ptr<const Message>>;

  Mutex mutex_;
  std::vector<Conversation> recent_ LH_GUARDED_BY(mutex_);  // the last is the latest
};

}  // namespace lh
