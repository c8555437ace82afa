// Allocates blocks that cross the ABI. Keeps the set of live blocks, so that it recognises a foreign pointer without
// reading memory. Must not: touch the memory at a pointer that is not a live block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace lh {

// Returns `size` bytes, or nullptr if memory is exhausted. Size 0 gives a block, too.
void* allocate_block(size_t size) noexcept;

// Frees a live block. Returns false, and touches nothing, if `block` is not one.
bool free_block(void* block) noexcept;

// The size of a live block; none for any other pointer.
std::optional<size_t> block_size(const void* block) noexcept;

// The number of live blocks of the process.
int64_t live_blocks() noexcept;

// A NUL-terminated copy of `text`, or nullptr if memory is exhausted.
char* copy_to_block(std::string_view text) noexcept;

struct BlockDeleter {
  void operator()(char* block) const noexcept { free_block(block); }
};
using BlockPtr = std::unique_ptr<char, BlockDeleter>;

// The answer that a callback left, taken over: a text, or the reason why it is not one.
struct BlockText {
  BlockPtr block;
  std::optional<std::string_view> text;  // in the block; none for a null pointer
  std::string_view bad;                  // empty: valid
};
// A pointer that is not a live block is reported and leaks: freeing or even reading it may crash the process.
BlockText take_block(char* block) noexcept;

}  // namespace lh
