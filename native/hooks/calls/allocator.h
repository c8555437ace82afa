// Blocks that cross the ABI. Knows its own live blocks, so that a foreign pointer is told from one of them without a
// byte of it being read. Must not: touch the memory at a pointer that is not a live block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace lh {

// `size` bytes, or nullptr when there is no memory. Size 0 gives a block too.
void* allocate_block(size_t size) noexcept;

// Frees a live block. False, and nothing is touched, if `block` is none.
bool free_block(void* block) noexcept;

// The size of a live block; nothing for any other pointer.
std::optional<size_t> block_size(const void* block) noexcept;

// Live blocks of the process.
int64_t live_blocks() noexcept;

// A copy of `text`, NUL-terminated, or nullptr when there is no memory.
char* copy_to_block(std::string_view text) noexcept;

struct BlockDeleter {
  void operator()(char* block) const noexcept { free_block(block); }
};
using BlockPtr = std::unique_ptr<char, BlockDeleter>;

// What a callback has left behind, taken over: a text, or why it is none.
struct BlockText {
  BlockPtr block;
  std::optional<std::string_view> text;  // of the block; none for a null pointer
  std::string_view bad;                  // empty: nothing is wrong
};
// A pointer that is no live block leaks, and it says so: freeing or even reading it may end the process.
BlockText take_block(char* block) noexcept;

}  // namespace lh
