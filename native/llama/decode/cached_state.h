// Describes the memory of a sequence, and how much of it a prompt can reuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lh {

// An adapter that computed a memory: its strength, and its first token (an aLoRA does not begin at the first).
struct AdapterUse {
  uint64_t number = 0;
  float scale = 1;
  int32_t from = 0;

  bool operator==(const AdapterUse&) const = default;
};
// All adapters that computed a memory, each once; empty: none. Others can reuse the memory as far as they would have
// computed the same.
using AdapterKey = std::vector<AdapterUse>;

// The number of equal tokens at the start of `a` and `b`.
int32_t common_prefix(const std::vector<int32_t>& a, const std::vector<int32_t>& b);
// The number of tokens for which `a` and `b` compute the same memory; INT32_MAX: all.
int32_t common_prefix(const AdapterKey& a, const AdapterKey& b);

// A sequence's memory as llama.cpp saves it. Not a vector, which would write zeros first: at 25 MB that takes as long
// as the state itself.
class StateBytes {
 public:
  StateBytes() = default;
  explicit StateBytes(size_t size) : bytes_(std::make_unique_for_overwrite<uint8_t[]>(size)), size_(size) {}
  StateBytes(StateBytes&& other) noexcept : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
  StateBytes& operator=(StateBytes&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  [[nodiscard]] uint8_t* data() { return bytes_.get(); }
  [[nodiscard]] const uint8_t* data() const { return bytes_.get(); }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  std::unique_ptr<uint8_t[]> bytes_;
  size_t size_ = 0;
};

// The state from which a memory that cannot be cut back continues after the first `length` tokens, besides the part
// that can be: the recurrent state after them, or the window before them.
struct Checkpoint {
  int32_t length = 0;
  StateBytes state;
};
using Checkpoints = std::vector<std::shared_ptr<const Checkpoint>>;  // by increasing length

size_t bytes_of(const Checkpoints& checkpoints);

// The lengths to which a sequence can be cut back.
struct CutRule {
  bool anywhere = true;  // a KV cache of all positions
  // Otherwise, for a sliding window: lengths for which the `window` positions before the cut are still present; 0: none
  // (recurrent).
  int32_t window = 0;
};

struct Resume {
  int32_t length = 0;
  std::shared_ptr<const Checkpoint> checkpoint;  // to be restored first; null: a cut is enough
};

// The part of a sequence of `length` tokens that a prompt can reuse if they share the first `shared` tokens. `first`:
// the lowest position that all layers hold.
Resume resume_at(int32_t shared, int32_t length, int32_t first, const Checkpoints& checkpoints, const CutRule& rule);

}  // namespace lh
