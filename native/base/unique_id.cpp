#include "base/unique_id.h"

#include <random>
#include <string_view>

namespace lh {

std::string unique_id() {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  constexpr size_t kLength = 16;
  thread_local std::random_device device;  // the system's own randomness: nothing to seed, so nothing to repeat
  std::uniform_int_distribution<size_t> digit(0, kDigits.size() - 1);
  std::string id(kLength, '0');
  for (char& c : id) c = kDigits[digit(device)];
  return id;
}

}  // namespace lh
