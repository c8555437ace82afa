// Keeps values that took time to find out, each under a text, and drops the least recently used ones.
#pragma once

#include <algorithm>
#include <list>
#include <optional>
#include <string>
#include <utility>

#include "base/threads/mutex.h"

namespace lh {

// Any thread.
template <typename Value>
class RecentValues {
 public:
  // `most_bytes`: of the texts, and of the additional bytes that keep() names.
  RecentValues(size_t most, size_t most_bytes) : most_(most), most_bytes_(most_bytes) {}
  RecentValues(const RecentValues&) = delete;
  RecentValues& operator=(const RecentValues&) = delete;

  [[nodiscard]] std::optional<Value> find(const std::string& text) {
    const MutexLock lock(mutex_);
    const auto found = std::ranges::find(entries_, text, &Entry::text);
    if (found == entries_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, found);
    return found->value;
  }

  // The first value under a text stays. `size`: of `value`, in bytes.
  void keep(const std::string& text, Value value, size_t size = 0) {
    size += text.size();
    const MutexLock lock(mutex_);
    if (size > most_bytes_ || std::ranges::find(entries_, text, &Entry::text) != entries_.end()) return;
    entries_.push_front({text, std::move(value), size});
    bytes_ += size;
    while (entries_.size() > most_ || bytes_ > most_bytes_) {
      bytes_ -= entries_.back().size;
      entries_.pop_back();
    }
  }

 private:
  struct Entry {
    std::string text;
    Value value;
    size_t size = 0;
  };

  const size_t most_;
  const size_t most_bytes_;
  Mutex mutex_;
  std::list<Entry> entries_ LH_GUARDED_BY(mutex_);  // most recently used first
  size_t bytes_ LH_GUARDED_BY(mutex_) = 0;
};

}  // namespace lh
