// A text that takes the size of a pointer while it is empty, for objects with many instances.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lh {

class PackedText {
 public:
  PackedText() = default;
  // Implicit, as those of std::string.
  PackedText(std::string_view text) {
    if (text.empty()) return;
    const size_t size = text.size();
    bytes_ = std::make_unique_for_overwrite<char[]>(sizeof size + size);
    std::memcpy(bytes_.get(), &size, sizeof size);
    std::memcpy(bytes_.get() + sizeof size, text.data(), size);
  }
  PackedText(const std::string& text) : PackedText(std::string_view(text)) {}
  PackedText(const char* text) : PackedText(std::string_view(text)) {}
  PackedText(const PackedText& other) : PackedText(other.view()) {}
  PackedText(PackedText&&) noexcept = default;
  PackedText& operator=(const PackedText& other) { return *this = PackedText(other.view()); }
  PackedText& operator=(PackedText&&) noexcept = default;
  ~PackedText() = default;

  [[nodiscard]] std::string_view view() const {
    if (bytes_ == nullptr) return {};
    size_t size = 0;
    std::memcpy(&size, bytes_.get(), sizeof size);
    return {bytes_.get() + sizeof size, size};
  }
  operator std::string_view() const { return view(); }
  operator std::string() const { return str(); }
  [[nodiscard]] std::string str() const { return std::string(view()); }
  [[nodiscard]] bool empty() const { return bytes_ == nullptr; }
  [[nodiscard]] size_t size() const { return view().size(); }

  template <std::convertible_to<std::string_view> Other>
  friend bool operator==(const PackedText& a, const Other& b) {
    return a.view() == std::string_view(b);
  }
  friend std::string operator+(std::string a, const PackedText& b) { return std::move(a.append(b.view())); }

 private:
  std::unique_ptr<char[]> bytes_;  // the size, then the characters; null: empty
};
static_assert(sizeof(PackedText) == sizeof(void*) && std::is_nothrow_move_constructible_v<PackedText>);

}  // namespace lh
