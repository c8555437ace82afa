// A number of tokens that several pieces of work share. Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

namespace lh {

class TokenBudget {
 public:
  explicit TokenBudget(int32_t tokens) : left_(tokens) {}
  TokenBudget(const TokenBudget&) = delete;
  TokenBudget& operator=(const TokenBudget&) = delete;

  // False: none was left.
  [[nodiscard]] bool take() noexcept { return left_.fetch_sub(1, std::memory_order_relaxed) > 0; }
  void take(int32_t tokens) noexcept { left_.fetch_sub(tokens, std::memory_order_relaxed); }
  [[nodiscard]] int32_t left() const noexcept {
    return static_cast<int32_t>(std::max<int64_t>(0, left_.load(std::memory_order_relaxed)));
  }

 private:
  std::atomic<int64_t> left_;
};
static_assert(!std::is_copy_constructible_v<TokenBudget>);

}  // namespace lh
