// Remembers the abilities of the chat templates that were made last in this process. llama.cpp finds them out by
// running a template some ten times, which is a seventh of an engine's start.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <type_traits>

#include "base/threads/mutex.h"
#include "chat.h"

namespace lh {

// Any thread.
class KnownCaps {
 public:
  static KnownCaps& here();

  KnownCaps(const KnownCaps&) = delete;
  KnownCaps& operator=(const KnownCaps&) = delete;

  [[nodiscard]] std::optional<chat_template_caps> of(const std::string& source);
  // Only for a template that was made within its budget: another one must be refused the next time, too.
  void keep(const common_chat_template& made);

 private:
  KnownCaps() = default;

  struct Entry {
    std::string source;
    chat_template_caps caps;
  };
  Mutex mutex_;
  std::list<Entry> entries_ LH_GUARDED_BY(mutex_);  // most recently used first
};
static_assert(!std::is_copy_constructible_v<KnownCaps>);

}  // namespace lh
