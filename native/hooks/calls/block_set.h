// The set of live blocks and their sizes: open addressing, linear probing, no tombstones.
// Must not: be used by two threads at once, or read the memory at a pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lh {

class BlockSet {
 public:
  // Makes room for one more entry. May throw std::bad_alloc, and then nothing has changed.
  void reserve_one();

  // Requires room. If the block is already present, it was freed without our knowledge and allocated again: its size is
  // replaced.
  void insert(const void* block, size_t size) noexcept;

  // The size of `block`, or nullptr if it is not present.
  [[nodiscard]] const size_t* find(const void* block) const noexcept;

  bool erase(const void* block) noexcept;

  [[nodiscard]] size_t size() const noexcept { return count_; }

  // Spreads an address over 64 bits; the upper ones are the best.
  static uint64_t hash(const void* block) noexcept {
    return (reinterpret_cast<uintptr_t>(block) >> 4U) * 0x9E3779B97F4A7C15U;
  }

 private:
  struct Entry {
    const void* block = nullptr;
    size_t size = 0;
  };

  [[nodiscard]] size_t home(const void* block) const noexcept {
    return static_cast<size_t>(hash(block) >> 20U) & (entries_.size() - 1);
  }
  [[nodiscard]] size_t next(size_t at) const noexcept { return (at + 1) & (entries_.size() - 1); }

  std::vector<Entry> entries_;  // a power of two, or empty
  size_t count_ = 0;
};

}  // namespace lh
