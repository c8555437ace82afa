#include "platform/local_time.h"

namespace lh {

std::tm local_time(std::time_t time) {
  std::tm local{};
  if (localtime_s(&local, &time) != 0) return {};
  return local;
}

}  // namespace lh
