#include "hooks/calls/allocator.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "base/threads/mutex.h"
#include "hooks/calls/block_set.h"

namespace lh {
namespace {

// One lock per shard, so that threads that answer hooks at the same time rarely contend.
struct alignas(64) Shard {
  Mutex mutex;
  BlockSet blocks LH_GUARDED_BY(mutex);
};

constexpr size_t kShards = 64;

std::array<Shard, kShards>& shards() {
  // Never destroyed: blocks are freed while the process exits.
  static auto& all = *new std::array<Shard, kShards>;
  return all;
}

Shard& shard_of(const void* block) { return shards()[BlockSet::hash(block) >> 58U]; }

}  // namespace

void* allocate_block(size_t size) noexcept {
  void* block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) return nullptr;
  try {
    Shard& shard = shard_of(block);
    MutexLock lock(shard.mutex);
    shard.blocks.reserve_one();
    shard.blocks.insert(block, size == 0 ? 1 : size);
    return block;
  } catch (const std::exception&) {  // no memory for the set: the block could not be recognised later
    std::free(block);
    return nullptr;
  }
}

bool free_block(void* block) noexcept {
  if (block == nullptr) return true;
  Shard& shard = shard_of(block);
  {
    MutexLock lock(shard.mutex);
    if (!shard.blocks.erase(block)) return false;
  }
  std::free(block);
  return true;
}

std::optional<size_t> block_size(const void* block) noexcept {
  if (block == nullptr) return std::nullopt;
  Shard& shard = shard_of(block);
  MutexLock lock(shard.mutex);
  const size_t* size = shard.blocks.find(block);
  return size == nullptr ? std::nullopt : std::optional<size_t>(*size);
}

int64_t live_blocks() noexcept {
  int64_t count = 0;
  for (Shard& shard : shards()) {
    MutexLock lock(shard.mutex);
    count += static_cast<int64_t>(shard.blocks.size());
  }
  return count;
}

char* copy_to_block(std::string_view text) noexcept {
  auto* copy = static_cast<char*>(allocate_block(text.size() + 1));
  if (copy == nullptr) return nullptr;
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

BlockText take_block(char* block) noexcept {
  BlockText taken;
  if (block == nullptr) return taken;
  const std::optional<size_t> size = block_size(block);
  if (!size) {
    taken.bad = "answer not allocated with lh_alloc";
    return taken;
  }
  taken.block.reset(block);
  const auto* end = static_cast<const char*>(std::memchr(block, '\0', *size));
  if (end != nullptr) {
    taken.text = std::string_view(block, static_cast<size_t>(end - block));
  } else {
    taken.bad = "answer without a NUL at its end";
  }
  return taken;
}

}  // namespace lh
