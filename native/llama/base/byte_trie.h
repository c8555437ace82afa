// Finds which of many short texts begin at a place of a text. Must not: copy the texts' order; the caller numbers them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lh {

class ByteTrie {
 public:
  ByteTrie() { first_.fill(kNone); }

  // A text that is there already, or is empty, changes nothing.
  void add(std::string_view text, int32_t value) {
    if (text.empty()) return;
    int32_t node = kNone;
    for (const char byte : text) {
      const int32_t next = child(node, byte);
      node = next == kNone ? add_child(node, byte) : next;
    }
    int32_t& place = nodes_[static_cast<size_t>(node)].value;
    if (place == kNone) place = value;
  }

  // Calls found(value, end) for each text that begins at `at`, the shortest first.
  template <typename Found>
  void walk(std::string_view text, size_t at, Found&& found) const {
    for (int32_t node = kNone; at < text.size(); ++at) {
      node = child(node, text[at]);
      if (node == kNone) return;
      const int32_t value = nodes_[static_cast<size_t>(node)].value;
      if (value != kNone) found(value, at + 1);
    }
  }

  // The first place from `at` on where a text may begin; the text's size if there is none.
  [[nodiscard]] size_t skip(std::string_view text, size_t at) const {
    while (at < text.size() && first_[static_cast<uint8_t>(text[at])] == kNone) ++at;
    return at;
  }

 private:
  static constexpr int32_t kNone = -1;

  struct Node {
    char byte;
    int32_t child = kNone;    // the first of its children
    int32_t sibling = kNone;  // the next child of its parent
    int32_t value = kNone;
  };

  [[nodiscard]] int32_t child(int32_t node, char byte) const {
    if (node == kNone) return first_[static_cast<uint8_t>(byte)];
    int32_t next = nodes_[static_cast<size_t>(node)].child;
    while (next != kNone && nodes_[static_cast<size_t>(next)].byte != byte)
      next = nodes_[static_cast<size_t>(next)].sibling;
    return next;
  }

  int32_t add_child(int32_t node, char byte) {
    const auto added = static_cast<int32_t>(nodes_.size());
    if (node == kNone) {
      nodes_.push_back({byte});
      first_[static_cast<uint8_t>(byte)] = added;
    } else {
      nodes_.push_back({byte, kNone, nodes_[static_cast<size_t>(node)].child});
      nodes_[static_cast<size_t>(node)].child = added;
    }
    return added;
  }

  std::array<int32_t, 256> first_{};  // the nodes of first bytes
  std::vector<Node> nodes_;
};

}  // namespace lh
