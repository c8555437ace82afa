#include "count_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace lh::bench {
namespace {

std::atomic<uint64_t> count{0};

void* counted(std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  void* block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

uint64_t allocations() noexcept { return count.load(std::memory_order_relaxed); }

}  // namespace lh::bench

// The other forms (arrays, no-throw) call these two; nothing here is over-aligned.
void* operator new(std::size_t size) { return lh::bench::counted(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
