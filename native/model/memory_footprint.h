// The memory that models take, if several may share the same weights.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "model/memory_use.h"

namespace lh {

// Weights that are in memory once, however many models hold them.
struct SharedUse {
  std::string key;  // equal for equal weights
  MemoryUse memory;
};

// The memory of one model.
struct MemoryFootprint {
  MemoryUse own;
  std::vector<SharedUse> weights;  // each key once
  uint64_t conversations = 0;      // bytes of main memory that idle conversations take
};

// Adds something that was made (an adapter, a context) to its model. Call it once. Before the call the new thing cannot
// be used and the model's footprint does not count it; so the caller releases the memory reserved for it at the same
// moment.
using Publish = std::function<Status()>;

// The sum as if no other model held the weights.
[[nodiscard]] MemoryUse total(const MemoryFootprint& one);

[[nodiscard]] bool have_common_weights(const MemoryFootprint& a, const MemoryFootprint& b);

// The memory of several models. A value type: copies can be changed to see what would happen.
class FootprintSum {
 public:
  void add(const MemoryFootprint& one);
  void remove(const MemoryFootprint& one);  // one that was added
  // The sum of all; shared weights count once.
  [[nodiscard]] MemoryUse total() const;
  // The additional memory that one more model would take.
  [[nodiscard]] MemoryUse beyond(const MemoryFootprint& one) const;
  // The memory that is freed with an added model.
  [[nodiscard]] MemoryUse freed_with(const MemoryFootprint& one) const;
  [[nodiscard]] uint64_t conversations() const { return conversations_; }

 private:
  struct Weights {
    MemoryUse memory;
    int holders = 0;
  };
  [[nodiscard]] int holders(const std::string& key) const;

  MemoryUse own_;
  uint64_t conversations_ = 0;
  std::map<std::string, Weights> weights_;
};

}  // namespace lh
