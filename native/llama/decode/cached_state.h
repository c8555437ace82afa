// What a sequence's memory holds besides its tokens, and how much of it a prompt can go on from.
// Must not: know llama.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lh {

// An adapter that computed a memory: how strongly, and from which token on (an aLoRA not from the first).
struct AdapterUse {
  uint64_t number = 0;
  float scale = 1;
  int32_t from = 0;

  bool operator==(const AdapterUse&) const = default;
};
// All that computed a memory, each once; empty: none. It serves others as far as they would have computed the same.
using AdapterKey = std::vector<AdapterUse>;

// How many tokens `a` and `b` begin with alike.
int32_t common_prefix(const std::vector<int32_t>& a, const std::vector<int32_t>& b);
// Of how many tokens the memory is the same with `a` and with `b`; INT32_MAX: of all.
int32_t common_prefix(const AdapterKey& a, const AdapterKey& b);

// A sequence's memory as llama.cpp writes it. Not a vector, which would write zeros first: at 25 MB that takes as long
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

// What a memory that cannot be cut back needs, beside the cache that can, to go on from the first `length` tokens: the
// recurrent state after them, or the window before it.
struct Checkpoint {
  int32_t length = 0;
  StateBytes state;
};
using Checkpoints = std::vector<std::shared_ptr<const Checkpoint>>;  // by increasing length

size_t bytes_of(const Checkpoints& checkpoints);

// To what lengths a sequence can be cut back.
struct CutRule {
  bool anywhere = true;  // a KV cache of all positions
  // Otherwise, of a sliding window: where the positions `window` before the cut are still there; 0: nowhere
  // (recurrent).
  int32_t window = 0;
};

struct Resume {
  int32_t length = 0;
  std::shared_ptr<const Checkpoint> checkpoint;  // to be restored first; null: cutting is enough
};

// The most of a sequence of `length` tokens that a prompt can go on from which begins like it for `shared` tokens.
// `first`: the lowest position that all layers hold.
Resume resume_at(int32_t shared, int32_t length, int32_t first, const Checkpoints& checkpoints, const CutRule& rule);

}  // namespace lh
