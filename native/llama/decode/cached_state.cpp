#include "llama/decode/cached_state.h"

#include <algorithm>
#include <numeric>

#include "base/common_size.h"

namespace lh {

int32_t common_prefix(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
  return static_cast<int32_t>(common_size<int32_t>(a, b));
}

int32_t common_prefix(const AdapterKey& a, const AdapterKey& b) {
  // Up to the first token on which only one of them acts.
  const auto first_missing = [](const AdapterKey& of, const AdapterKey& in) {
    int32_t first = INT32_MAX;
    for (const AdapterUse& one : of) {
      if (std::ranges::find(in, one) == in.end()) first = std::min(first, one.from);
    }
    return first;
  };
  return std::min(first_missing(a, b), first_missing(b, a));
}

size_t bytes_of(const Checkpoints& checkpoints) {
  return std::accumulate(checkpoints.begin(), checkpoints.end(), size_t{0},
                         [](size_t sum, const auto& one) { return sum + one->state.size(); });
}

Resume resume_at(int32_t shared, int32_t length, int32_t first, const Checkpoints& checkpoints, const CutRule& rule) {
  const bool by_cutting =
      rule.anywhere || shared == length || (rule.window > 0 && first <= std::max(0, shared - rule.window));
  if (by_cutting) return {shared, nullptr};
  for (auto it = checkpoints.rbegin(); it != checkpoints.rend(); ++it) {
    if ((*it)->length <= shared) return {(*it)->length, *it};
  }
  return {};
}

}  // namespace lh
