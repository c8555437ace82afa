// What models take of memory, where several can hold the same weights. Must not: know llama.cpp.
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

// Weights: in memory once, whoever holds them.
struct SharedUse {
  std::string key;  // of the same weights, the same
  MemoryUse memory;
};

// Of one model.
struct Holding {
  MemoryUse own;
  std::vector<SharedUse> weights;  // each key once
  uint64_t conversations = 0;      // bytes of main memory for those that are idle
};

// Adds what was made to the model that it was made for, once. Until then nobody can use it, and the model's memory
// does not count it: who kept memory for it gives that back in the same moment.
using Publish = std::function<Status()>;

// As if nobody else had its weights.
[[nodiscard]] MemoryUse total(const Holding& one);

[[nodiscard]] bool have_common_weights(const Holding& a, const Holding& b);

// Of several models. A value: changed to see what would be.
class Holdings {
 public:
  void add(const Holding& one);
  void remove(const Holding& one);  // that was added
  // All of them, the same weights once.
  [[nodiscard]] MemoryUse total() const;
  // What one more would take.
  [[nodiscard]] MemoryUse beyond(const Holding& one) const;
  // What is free when one that was added goes.
  [[nodiscard]] MemoryUse freed_with(const Holding& one) const;
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
