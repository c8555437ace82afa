#include "llama/decode/draft.h"

#include <algorithm>

#include "ngram-map.h"

namespace lh {
namespace {

constexpr uint16_t kWords = 8;  // this many tokens must have occurred before in this order
constexpr int32_t kFirstPause = 8;
constexpr int32_t kLongestPause = 128;
constexpr double kMemory = 0.9;  // the weight of an attempt at the next one
constexpr double kMostLost = 1;  // tokens

}  // namespace

std::vector<int32_t> draft_from_words(const std::vector<int32_t>& held, int32_t next, int32_t most) {
  auto drafted = common_ngram_simple_draft({kWords, kMaxDraft}, held, next);
  if (static_cast<int32_t>(drafted.size()) > most) drafted.resize(static_cast<size_t>(most));
  return drafted;
}

bool DraftPace::ready() {
  if (pause_ == 0) return true;
  --pause_;
  return false;
}

void DraftPace::judged(double gained) {
  balance_ = std::max(kMemory * balance_ + gained, -kMostLost);  // after a pause a single attempt decides
  if (gained >= 0) next_pause_ = 0;
  if (balance_ > -kMostLost) return;
  next_pause_ = next_pause_ == 0 ? kFirstPause : std::min(2 * next_pause_, kLongestPause);
  pause_ = next_pause_;
}

}  // namespace lh
