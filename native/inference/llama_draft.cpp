#include "inference/llama_draft.h"

#include <algorithm>

#include "ngram-map.h"

namespace lh {
namespace {

constexpr uint16_t kWords = 8;  // so many tokens must have come before, in this order
// A draft of which less comes true costs more than it saves, on two cores.
constexpr double kPays = 0.3;
constexpr int32_t kFirstPause = 8;
constexpr int32_t kLongestPause = 128;

}  // namespace

std::vector<int32_t> Drafter::draft(const std::vector<int32_t>& held, int32_t next, int32_t most) {
  if (pause_ > 0) {
    --pause_;
    return {};
  }
  if (most <= 0) return {};
  auto drafted = common_ngram_simple_draft({kWords, kMaxDraft}, held, next);
  if (static_cast<int32_t>(drafted.size()) > most) drafted.resize(static_cast<size_t>(most));
  return drafted;
}

void Drafter::judged(int32_t drafted, int32_t accepted) {
  if (accepted >= kPays * drafted) {
    next_pause_ = 0;
    return;
  }
  next_pause_ = next_pause_ == 0 ? kFirstPause : std::min(2 * next_pause_, kLongestPause);
  pause_ = next_pause_;
}

}  // namespace lh
