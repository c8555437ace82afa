// The marks that were found to begin nothing, by the text up to where that was known: the same text grows, and is read
// again and again. Any thread.
#pragma once

#include <string_view>
#include <vector>

#include "base/threads/mutex.h"

namespace lh {

class FalseMarks {
 public:
  // The places in the longest beginning of `text` that was added.
  [[nodiscard]] std::vector<size_t> of(std::string_view text) LH_EXCLUDES(mutex_);
  void add(std::string_view text, std::vector<size_t> places) LH_EXCLUDES(mutex_);

 private:
  struct Known {
    size_t size;
    size_t hash;  // of that many bytes
    std::vector<size_t> places;
  };

  // True if the text begins with the known one.
  [[nodiscard]] static bool is_of(const Known& known, std::string_view text);

  Mutex mutex_;
  std::vector<Known> known_ LH_GUARDED_BY(mutex_);  // the latest last
};

}  // namespace lh
