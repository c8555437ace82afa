// The work that bringing one schema into normal form may take. All of its parts share it, so that no schema takes long
// or much memory, and a cancelled call ends it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/json/json.h"
#include "base/threads/cancel.h"

namespace lh {

inline constexpr const char* kTooMuchWork = "reading the schema takes too many steps";

class SchemaWork {
 public:
  // Counts steps of some 100 ns. False: nothing more may be done.
  bool spend(size_t steps = 1) {
    left_ -= std::min(left_, steps);
    if (left_ >= next_look_ || left_ == 0) return left_ > 0;
    next_look_ = left_ - std::min(left_, kBetweenLooks);
    if (CancelScope::cancelled()) left_ = 0;
    return left_ > 0;
  }
  // A copy of the value is made.
  bool spend_on(const Json& value) { return spend(1 + (bytes_of(value) / kBytesPerStep)); }
  // A place is written.
  bool spend_on(const std::string& place) { return spend(1 + (place.size() / kBytesPerStep)); }

  [[nodiscard]] size_t left() const { return left_; }
  [[nodiscard]] bool over() const { return left_ == 0; }

 private:
  static size_t bytes_of(const Json& value) {
    constexpr size_t kOfValue = 16;
    if (value.is_string()) return kOfValue + value.get_ref<const std::string&>().size();
    size_t bytes = kOfValue;
    if (!value.is_structured()) return bytes;
    for (const auto& [name, member] : value.items()) bytes += (value.is_object() ? name.size() : 0) + bytes_of(member);
    return bytes;
  }

  static constexpr size_t kMost = 4'000'000;
  static constexpr size_t kBetweenLooks = 4096;
  static constexpr size_t kBytesPerStep = 32;

  size_t left_ = kMost;
  size_t next_look_ = kMost;
};

}  // namespace lh
