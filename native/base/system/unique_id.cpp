#include "base/system/unique_id.h"

#include <chrono>
#include <cstdint>
#include <random>

namespace lh {
namespace {

constexpr size_t kTimeDigits = 10;
constexpr size_t kRandomDigits = 16;
constexpr unsigned kBitsPerDigit = 5;

char digit(uint64_t value) { return "0123456789abcdefghjkmnpqrstvwxyz"[value & 31]; }

uint64_t now_ms() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count());
}

}  // namespace

std::string unique_id() {
  std::string id(kTimeDigits + kRandomDigits, '0');
  uint64_t time = now_ms();
  for (size_t i = kTimeDigits; i-- > 0; time >>= kBitsPerDigit) id[i] = digit(time);
  std::random_device random;
  constexpr size_t kDigitsPerDraw = 4;
  for (size_t i = 0; i < kRandomDigits; i += kDigitsPerDraw) {
    auto bits = static_cast<uint64_t>(random());
    for (size_t j = 0; j < kDigitsPerDraw; ++j, bits >>= kBitsPerDigit) id[kTimeDigits + i + j] = digit(bits);
  }
  return id;
}

}  // namespace lh
